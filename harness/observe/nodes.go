package observe

import (
	corev1 "k8s.io/api/core/v1"

	"rollcall/harness/evidence"
)

func (w *Watch) seeNode(n *corev1.Node) {
	ready := false
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			ready = c.Status == corev1.ConditionTrue
		}
	}
	w.locked(func() {
		if was, seen := w.nodes[n.Name]; seen && was == ready {
			return
		}
		w.nodes[n.Name] = ready
		kind := evidence.NodeUnready
		if ready {
			kind = evidence.NodeReady
		}
		w.note(evidence.Event{Kind: kind, Object: n.Name})
	})
}

func (w *Watch) loseNode(n *corev1.Node) {
	w.locked(func() {
		delete(w.nodes, n.Name)
		w.note(evidence.Event{Kind: evidence.NodeUnready, Object: n.Name, Detail: "deleted"})
	})
}
