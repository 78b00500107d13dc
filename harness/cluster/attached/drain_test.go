package attached

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/usage"
)

// A node may be drained only if it runs nobody else's pods.
func TestCheckDrain(t *testing.T) {
	pod := func(change func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "shop"}, Spec: corev1.PodSpec{NodeName: "a"}}
		change(p)
		return p
	}
	owned := func(kind string) *corev1.Pod {
		return pod(func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: "o", Controller: new(true)}}
		})
	}
	cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	for _, row := range []struct {
		sentence string
		drain    []string
		pod      *corev1.Pod // on node a
		want     string      // empty: nothing is refused
	}{
		{"no node at all", nil, owned("ReplicaSet"), ""},
		{"two that are empty", []string{"a", "b"}, nil, ""},
		{"one alone", []string{"a"}, nil, "--allow=disruption:a: pods that are drained need another node to go to: " +
			"name a second one: disruption:NODE,disruption:NODE"},
		{"one that is not there", []string{"a", "z"}, nil, "--allow=disruption:z: no such node: see kubectl get nodes"},
		{"one that is cordoned", []string{"a", "c"}, nil,
			"--allow=disruption:c: it is not ready, tainted or cordoned, perhaps by a run that was " +
				"killed: name another, or kubectl uncordon c"},
		{"a DaemonSet's pods stay", []string{"a", "b"}, owned("DaemonSet"), ""},
		{"so do static ones", []string{"a", "b"}, pod(func(p *corev1.Pod) {
			p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
		}), ""},
		{"pods that have ended do not count", []string{"a", "b"}, pod(func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }), ""},
		{"our own may go", []string{"a", "b"}, pod(func(p *corev1.Pod) { p.Labels = fixtures.Destination{}.Object("echo").Labels }), ""},
		{"somebody else's may not", []string{"a", "b"}, owned("ReplicaSet"), "--allow=disruption:a: it runs pod p of namespace shop, " +
			"which is not Rollcall's: name a node that runs only pods of DaemonSets"},
	} {
		client := fake.NewClientset()
		client.PrependReactor("list", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
			list := &corev1.PodList{}
			of := action.(k8stesting.ListAction).GetListRestrictions().Fields
			if on, _ := of.RequiresExactMatch("spec.nodeName"); on == "a" && row.pod != nil {
				list.Items = append(list.Items, *row.pod)
			}
			return true, list, nil
		})
		err := checkDrain(t.Context(), client, []corev1.Node{node("a"), node("b"), node("c", cordoned)}, row.drain)
		if got := said(err); got != row.want || err != nil && !usage.Is(err) {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
