package during

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/fake"
)

func TestPodsOfAnApp(t *testing.T) {
	ready := func(name string, change func(*corev1.Pod), with ...string) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{"app": "web"}},
			Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "reg.example/shop/web:1"}}},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}}
		for i := 0; i < len(with); i += 2 {
			p.Labels[with[i]] = with[i+1]
		}
		if change != nil {
			change(p)
		}
		return p
	}
	const hash = "pod-template-hash"
	client := fake.NewClientset(
		ready("a", nil, hash, "old"), ready("b", nil, hash, "new"), ready("c", nil, hash, "new"),
		ready("job", func(p *corev1.Pod) { p.Status = corev1.PodStatus{Phase: corev1.PodSucceeded} }, "app", "job"),
		ready("late", func(p *corev1.Pod) { p.Status.Conditions = nil }, "app", "late"),
		ready("leaving", func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()); p.Finalizers = []string{"x"} }, "app", "leaving"),
	)
	for _, row := range []struct{ sentence, app, lacks, version string }{
		{"ready ones lack nothing, and most are of one version", "web", "", "new"},
		{"one that has ended is not waited for", "job", "", "web:1"},
		{"one that is not ready", "late", "pod late is not ready", "web:1"},
		{"one that is terminating", "leaving", "pod leaving is terminating", "web:1"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			a := &userApp{client: client, namespace: "shop", selector: labels.SelectorFromSet(labels.Set{"app": row.app})}
			if got := a.lacks(t.Context()); got != row.lacks {
				t.Errorf("it lacks %q, want %q", got, row.lacks)
			}
			pods, err := a.pods(t.Context())
			if got := commonest(pods); got != row.version || err != nil {
				t.Errorf("version %q, %v, want %q", got, err, row.version)
			}
		})
	}
}

func TestWhoMadePods(t *testing.T) {
	bare := corev1.Pod{}
	made := corev1.Pod{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Name: "web-7f", Controller: new(true)}}}}
	web, canary := workload{kind: "Deployment", name: "web"}, workload{kind: "Rollout", name: "canary"}
	for _, row := range []struct {
		sentence  string
		workloads []workload
		pods      []corev1.Pod
		want      string
	}{
		{"one workload", []workload{web}, []corev1.Pod{made}, "deployment web"},
		{"several", []workload{web, canary}, []corev1.Pod{made, made}, "deployment web and rollout canary"},
		{"none", nil, []corev1.Pod{bare}, "no workload"},
		{"one that may not be read", nil, []corev1.Pod{made}, "no workload"},
		{"one, and a pod that somebody made by hand", []workload{web}, []corev1.Pod{made, bare}, "deployment web and no workload"},
	} {
		if got := (&userApp{workloads: row.workloads}).madeBy(row.pods); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
