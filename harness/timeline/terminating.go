package timeline

import (
	"math"
	"time"

	"rollcall/harness/evidence"
)

// begun is when the rollout began; never without the mark.
func (t Timeline) begun() time.Duration {
	if at, ok := t.Mark(evidence.RolloutBegun); ok {
		return at
	}
	return math.MaxInt64
}

// terminatingBesideReady lists, by time, when an old pod was being deleted and had not ended, and another pod was ready.
func (t Timeline) terminatingBesideReady() (windows []Window) {
	ready, deleted, terminating := map[string]bool{}, map[string]bool{}, map[string]bool{}
	open := false
	for _, e := range t.Events {
		if !t.rolled(e.By) {
			continue
		}
		switch e.Kind {
		case evidence.PodCreated: // anew, if a StatefulSet gives the name again
			delete(deleted, e.By.Pod)
		case evidence.PodReady:
			if !deleted[e.By.Pod] {
				ready[e.By.Pod] = true
			}
		case evidence.PodUnready:
			delete(ready, e.By.Pod)
		case evidence.PodDeleting:
			delete(ready, e.By.Pod)
			deleted[e.By.Pod] = true
			if e.By.Version != t.New || t.Old == t.New {
				terminating[e.By.Pod] = true
			}
		case evidence.PodExited, evidence.PodGone:
			delete(ready, e.By.Pod)
			delete(terminating, e.By.Pod)
		default:
			continue
		}
		switch is := len(terminating) > 0 && len(ready) > 0; {
		case is && !open:
			windows = append(windows, Window{From: e.At, To: math.MaxInt64})
			open = true
		case !is && open:
			windows[len(windows)-1].To = e.At
			open = false
		}
	}
	return windows
}
