package observe

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/fake"
)

// Pods of other workloads behind the Service have versions too: none of them is what the rollout ended with.
func TestVersionsOfWhatIsRolledOut(t *testing.T) {
	const hash = "pod-template-hash"
	pod := func(name, version string, minute int) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{"app": "web", hash: version},
			CreationTimestamp: metav1.NewTime(time.Unix(int64(60*minute), 0))},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:" + version}}}}
	}
	for _, row := range []struct {
		sentence string
		rolled   func(*corev1.Pod) bool
		newest   string
		name     string // of the version that is not v1; empty: there is none
	}{
		{"each may be", nil, "other", "web:other"},
		{"one is", func(p *corev1.Pod) bool { return p.Labels[hash] != "other" }, "v1", "web:v2"},
		{"one is, and its rollout did not begin", func(p *corev1.Pod) bool { return p.Labels[hash] == "v1" }, "v1", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := fake.NewClientset(pod("a", "v1", 1), pod("b", "v1", 1), pod("c", "v2", 2), pod("x", "other", 3), pod("y", "other", 3),
				pod("z", "other", 3))
			w, err := Start(t.Context(), client, Scope{Namespace: "n", NoLogs: true, Existing: &App{Namespace: "shop",
				Selector: labels.SelectorFromSet(labels.Set{"app": "web"}), Rolled: row.rolled}}, time.Now(), newMemorySink())
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop(t.Context())
			if err := w.Until(t.Context(), func(s State) bool { return len(s.Pods) == 6 }); err != nil {
				t.Fatal(err)
			}
			if got := w.Commonest(); got != row.newest {
				t.Errorf("the newest is %s, want %s", got, row.newest)
			}
			var name string
			for version, of := range w.Names("v1", "v1") {
				if version != "v1" {
					name = of
				}
			}
			if name != row.name {
				t.Errorf("the new version is %q, want %q", name, row.name)
			}
		})
	}
}
