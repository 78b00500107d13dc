package observe

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"

	"rollcall/harness/evidence"
)

// A nodeTracker notes when nodes become ready or cease to be.
type nodeTracker struct {
	*journal
	ready map[string]bool // by node name
}

func newNodeTracker(j *journal) *nodeTracker { return &nodeTracker{j, map[string]bool{}} }

func (t *nodeTracker) handlers(_, cluster informers.SharedInformerFactory) []handler {
	return []handler{{cluster.Core().V1().Nodes().Informer(), on(t.see), on(t.lose)}}
}

func (t *nodeTracker) see(n *corev1.Node) {
	ready := false
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			ready = c.Status == corev1.ConditionTrue
		}
	}
	t.change(func() {
		if was, seen := t.ready[n.Name]; seen && was == ready {
			return
		}
		t.ready[n.Name] = ready
		kind := evidence.NodeUnready
		if ready {
			kind = evidence.NodeReady
		}
		t.note(evidence.Event{Kind: kind, Object: n.Name})
	})
}

func (t *nodeTracker) lose(n *corev1.Node) {
	t.change(func() {
		delete(t.ready, n.Name)
		t.note(evidence.Event{Kind: evidence.NodeUnready, Object: n.Name, Detail: "deleted"})
	})
}
