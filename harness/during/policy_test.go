package during

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func TestWhichPoliciesKeepUsOut(t *testing.T) {
	to := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Labels: map[string]string{"app": "web"}}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Ports: []corev1.ContainerPort{
			{Name: "http", ContainerPort: 8080}, {Name: "admin", ContainerPort: 9000}}}}}}
	from := caller{&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "rollcall", Labels: map[string]string{"app": "agent"}},
		Status: corev1.PodStatus{PodIP: "10.244.1.9"}}, map[string]string{"kubernetes.io/metadata.name": "rollcall", "team": "sre"}}
	const addresses = "ingress: [{from: [{ipBlock: {cidr: 10.244.0.0/16"
	const anywhere = "ingress: [{from: [{namespaceSelector: {}, podSelector: {matchLabels: {app: "
	const web = "podSelector: {matchLabels: {app: web}}, "
	for _, row := range []struct {
		sentence string
		specs    []string // of policies p0, p1, ...
		want     []string
	}{
		{"there is none", nil, nil},
		{"one of other pods", []string{"{podSelector: {matchLabels: {app: db}}}"}, nil},
		{"one of what pods send", []string{"{podSelector: {}, policyTypes: [Egress]}"}, nil},
		{"one that admits nobody", []string{"{podSelector: {}, policyTypes: [Ingress]}"}, []string{"p0"}},
		{"one that says no type is of what pods get", []string{"{podSelector: {}}"}, []string{"p0"}},
		{"one that admits everybody", []string{"{podSelector: {}, ingress: [{}]}"}, nil},
		{"what one admits another cannot keep out", []string{"{podSelector: {}}", "{" + web + "ingress: [{}]}"}, nil},
		{"two that keep out", []string{"{podSelector: {}}", "{" + web + "}"}, []string{"p0", "p1"}},
		{"pods of its own namespace alone", []string{"{" + web + "ingress: [{from: [{podSelector: {}}]}]}"}, []string{"p0"}},
		{"namespaces by a label of theirs", []string{"{" + web + "ingress: [{from: [{namespaceSelector: {matchLabels: {team: sre}}}]}]}"}, nil},
		{"namespaces by another", []string{"{" + web + "ingress: [{from: [{namespaceSelector: {matchLabels: {team: shop}}}]}]}"}, []string{"p0"}},
		{"pods there by a label of theirs", []string{"{" + web + anywhere + "agent}}}]}]}"}, nil},
		{"pods there by another", []string{"{" + web + anywhere + "x}}}]}]}"}, []string{"p0"}},
		{"addresses of ours", []string{"{" + web + addresses + "}}]}]}"}, nil},
		{"addresses but ours", []string{"{" + web + addresses + ", except: [10.244.1.0/24]}}]}]}"}, []string{"p0"}},
		{"the port by its number", []string{"{" + web + "ingress: [{ports: [{port: 8080}]}]}"}, nil},
		{"by its name", []string{"{" + web + "ingress: [{ports: [{port: http}]}]}"}, nil},
		{"another by its name", []string{"{" + web + "ingress: [{ports: [{port: admin}]}]}"}, []string{"p0"}},
		{"ports that it is among", []string{"{" + web + "ingress: [{ports: [{port: 8000, endPort: 8100}]}]}"}, nil},
		{"ports that it is not among", []string{"{" + web + "ingress: [{ports: [{port: 9000, endPort: 9100}]}]}"}, []string{"p0"}},
		{"the port of another protocol", []string{"{" + web + "ingress: [{ports: [{port: 8080, protocol: UDP}]}]}"}, []string{"p0"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var policies []networkingv1.NetworkPolicy
			for i, spec := range row.specs {
				p := networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: []string{"p0", "p1"}[i]}}
				if err := yaml.UnmarshalStrict([]byte(spec), &p.Spec); err != nil {
					t.Fatal(err)
				}
				policies = append(policies, p)
			}
			if got := keptOut(policies, from, to, 8080); !slices.Equal(got, row.want) {
				t.Errorf("%v, want %v", got, row.want)
			}
		})
	}
}
