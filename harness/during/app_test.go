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
		{"one that has ended is not waited for", "job", "", "no-template"},
		{"one that is not ready", "late", "pod late is not ready", "no-template"},
		{"one that is terminating", "leaving", "pod leaving is terminating", "no-template"},
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
