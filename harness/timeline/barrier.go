package timeline

import (
	"time"

	"rollcall/harness/evidence"
)

// OldPodsAt is how many pods of the old version were in the API at a moment, terminating ones included.
func (t Timeline) OldPodsAt(moment time.Duration) int {
	there := map[string]bool{}
	for _, e := range t.Events {
		if e.At > moment || e.By.Pod == "" || e.By.Version != t.Old {
			continue
		}
		switch e.Kind {
		case evidence.PodCreated:
			there[e.By.Pod] = true
		case evidence.PodGone:
			delete(there, e.By.Pod)
		}
	}
	return len(there)
}
