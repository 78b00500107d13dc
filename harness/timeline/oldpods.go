package timeline

import (
	"time"

	"rollcall/harness/evidence"
)

// OldPodsAt is how many pods of the old version were in the API at a moment and had not ended, terminating ones included.
func (t Timeline) OldPodsAt(moment time.Duration) int {
	there := map[string]bool{}
	for _, e := range t.Events {
		if e.At > moment || e.By.Pod == "" || e.By.Version != t.Old {
			continue
		}
		switch e.Kind {
		case evidence.PodCreated:
			there[e.By.Pod] = true
		case evidence.PodGone, evidence.PodExited:
			delete(there, e.By.Pod)
		}
	}
	return len(there)
}

// OldToNew is how long after the process of the last old pod had ended the first new pod was created; negative when it was
// created before. It is absent unless the ends of all old pods were seen.
func (t Timeline) OldToNew() (gap Elapsed, ok bool) {
	var last, first evidence.Event
	running := map[string]bool{}
	for _, e := range t.Events {
		switch {
		case e.Kind == evidence.PodCreated && e.By.Version == t.Old:
			running[e.By.Pod] = true
		case e.Kind == evidence.PodExited && e.By.Version == t.Old:
			delete(running, e.By.Pod)
			last = e
		case e.Kind == evidence.PodCreated && e.By.Version == t.New && first.Kind == "":
			first = e
		}
	}
	if last.Kind == "" || first.Kind == "" || len(running) > 0 {
		return Elapsed{}, false
	}
	return Elapsed{first.At - last.At, t.clocks.between(first.Clock, last.Clock) + t.watchLag(first.At)}, true
}
