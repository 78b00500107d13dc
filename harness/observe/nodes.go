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

// seeReport notes what a component reports in an Event of the API, again each time it counts one more.
func (w *Watch) seeReport(e *corev1.Event) {
	w.locked(func() {
		count := e.Count
		if e.Series != nil {
			count = e.Series.Count
		}
		if was, seen := w.reports[e.Name]; seen && was == count {
			return
		}
		w.reports[e.Name] = count
		about := evidence.Event{Kind: evidence.Reported, Object: e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name, Count: int(count), Detail: e.Reason + ": " + e.Message}
		if e.InvolvedObject.Kind == "Pod" {
			about.By = w.serverOf(e.InvolvedObject.Name)
		}
		w.note(about)
	})
}
