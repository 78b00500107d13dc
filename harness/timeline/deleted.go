package timeline

import "rollcall/harness/evidence"

// ByDeleted reports whether a pod answered well to a request that was sent when the pod's deletion had been seen.
func (t Timeline) ByDeleted(h Hit) bool {
	deleted, seen := t.lives[h.By.Pod].first(evidence.PodDeleting, nil)
	return !h.Failed() && seen && h.Sent-deleted.At >= t.clocks.between(deleted.Clock, t.nodeOf(h.Lane))
}
