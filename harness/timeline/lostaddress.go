package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// LostAddress returns since when the pod of a control lane had another address than the lane asks: its node booted, after which the kubelet
// makes each pod a new sandbox with another address, and no later request of the lane reached a pod.
func (t Timeline) LostAddress(l Lane) (at time.Duration, lost bool) {
	if !l.Kind().IsControl() || len(l.Failed) == 0 {
		return 0, false
	}
	reached, failed := time.Duration(-1), l.Failed[len(l.Failed)-1].Sent
	for _, sent := range l.lastTo {
		reached = max(reached, sent)
	}
	for _, s := range t.node(l.TargetNode).history.Changes {
		if s.What == evidence.Booted && s.At > reached && s.At <= failed {
			return s.At, true
		}
	}
	return 0, false
}
