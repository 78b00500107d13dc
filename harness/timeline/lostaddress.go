package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// LostAddress is from when on a control lane asked for an address that its pod no longer had: the pod's node booted, after which the
// kubelet makes each pod a new sandbox with an address of its own, and of what the lane sent since nothing reached anybody. A lane
// that is answered again asks for the right one.
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
