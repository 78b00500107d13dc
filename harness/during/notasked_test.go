package during

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// What of a Service is not asked is a limit of the verdict.
func TestWhatOfAServiceIsNotAsked(t *testing.T) {
	probe := func(path string, port intstr.IntOrString) *corev1.Probe {
		return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: port}}}
	}
	web := corev1.ServicePort{Name: "http", Port: 80, TargetPort: intstr.FromString("web")}
	admin := corev1.ServicePort{Name: "admin", Port: 9090}
	pod := func(c corev1.Container) corev1.PodSpec {
		c.Ports = []corev1.ContainerPort{{Name: "web", ContainerPort: 8080}}
		return corev1.PodSpec{Containers: []corev1.Container{{Name: "proxy"}, c}}
	}
	const alone = "only /healthz is asked, which is a probe's path: requests for others may fail where it is answered"
	for _, row := range []struct {
		sentence string
		of       corev1.Container
		path     string
		others   []corev1.ServicePort
		want     []evidence.Limit
	}{
		{"one port, no probe", corev1.Container{}, "/", nil, nil},
		{"another port", corev1.Container{}, "/", []corev1.ServicePort{admin},
			[]evidence.Limit{{ID: evidence.PortsNotAsked, Text: "of service shop/web port http (80) is asked, and not asked: admin (9090)"}}},
		{"the path of the readiness probe", corev1.Container{ReadinessProbe: probe("healthz", intstr.FromInt32(8080))}, "/healthz", nil,
			[]evidence.Limit{{ID: evidence.ProbeAlone, Text: alone}}},
		{"that of the liveness probe, with a query", corev1.Container{LivenessProbe: probe("/healthz", intstr.FromString("web"))},
			"/healthz?deep=1", nil, []evidence.Limit{{ID: evidence.ProbeAlone, Text: alone}}},
		{"a path that no probe asks for", corev1.Container{ReadinessProbe: probe("/healthz", intstr.FromInt32(8080))}, "/orders", nil, nil},
		{"a probe at another port", corev1.Container{ReadinessProbe: probe("/healthz", intstr.FromInt32(9090))}, "/healthz", nil, nil},
	} {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{web}}}
		got := append(portsNotAsked(service, row.others, new(pod(row.of))), probeAlone(pod(row.of), web, row.path)...)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %+v, want %+v", row.sentence, got, row.want)
		}
	}
}

// Clients ask a Service by its first address; that it has another one is a limit of the verdict.
func TestWhichFamilyOfAServiceIsNotAsked(t *testing.T) {
	const four, six = corev1.IPv4Protocol, corev1.IPv6Protocol
	for _, row := range []struct {
		sentence  string
		families  []corev1.IPFamily
		addresses []string
		want      string
	}{
		{"an address of one family", []corev1.IPFamily{four}, []string{"10.0.0.7"}, ""},
		{"both families, IPv4 first", []corev1.IPFamily{four, six}, []string{"10.0.0.7", "fd00::7"},
			"of service shop/web IPv4 is asked, and not asked: IPv6 (fd00::7)"},
		{"both families, IPv6 first", []corev1.IPFamily{six, four}, []string{"fd00::7", "10.0.0.7"},
			"of service shop/web IPv6 is asked, and not asked: IPv4 (10.0.0.7)"},
		{"an API server that names no families", nil, []string{"10.0.0.7", "fd00::7"}, ""},
	} {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
			Spec: corev1.ServiceSpec{IPFamilies: row.families, ClusterIPs: row.addresses, ClusterIP: row.addresses[0],
				Ports: []corev1.ServicePort{{Name: "http", Port: 80}}}}
		s, err := settings{service: &userapp.ServiceName{Namespace: "shop", Name: "web"}, http: &loadgen.UserHTTP{}}.existing(
			t.Context(), fake.NewClientset(service), harness.Scenario{})
		var want []evidence.Limit
		if row.want != "" {
			want = []evidence.Limit{{ID: evidence.FamiliesNotAsked, Text: row.want}}
		}
		if !slices.Equal(s.Limits, want) || err != nil {
			t.Errorf("%s: %+v, %v", row.sentence, s.Limits, err)
		}
	}
}
