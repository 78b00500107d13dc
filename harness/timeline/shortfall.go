package timeline

import (
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Shortfall is that fewer pods were available than wanted, and only because of pods that turned unready by themselves.
type Shortfall struct {
	Lowest  int // pods available
	Because []Unready
}

// A deletion is one of an available pod, and when it was decided on.
type deletion struct{ at, decided time.Duration }

// Shortfall is absent when no pod was missing in that time, or when at any moment of it deletions were enough for that. A
// controller counts an unready pod as missing, so one that was so before the last deletion was decided on explains nothing.
func (t Timeline) Shortfall(want int, from, until time.Duration) (s Shortfall, ok bool) {
	unready, deleted := t.unreadiness(), t.deletions()
	s.Lowest = want
	for _, step := range t.capacitiesBetween(from, until) {
		if step.Available >= want {
			continue
		}
		var decided time.Duration
		for _, d := range deleted {
			if d.at <= step.At {
				decided = max(decided, d.decided)
			}
		}
		missing := 0
		for _, u := range unready {
			if step.At < u.From || step.At >= u.To || u.From+t.watchLag(u.From) < decided {
				continue
			}
			missing++
			if !slices.Contains(s.Because, u) {
				s.Because = append(s.Because, u)
			}
		}
		if step.Available+missing < want {
			return Shortfall{}, false
		}
		s.Lowest = min(s.Lowest, step.Available)
	}
	return s, s.Lowest < want
}

// deletions are those of available pods, by time. A ReplicaSet that was given a smaller size has to delete as many pods, and
// who wrote the size decided on that by what was known then. Its pods have its name and a suffix.
func (t Timeline) deletions() (deleted []deletion) {
	states, sizes, owed := map[string]podState{}, map[string]int{}, map[string][]time.Duration{}
	for _, e := range t.Events {
		if e.Kind == evidence.ReplicaSetScaled {
			for range sizes[e.Object] - e.Count {
				owed[e.Object] = append(owed[e.Object], e.At)
			}
			sizes[e.Object] = e.Count
		}
		if pod := e.By.Pod; e.Kind == evidence.PodDeleting {
			decided := e.At
			if set := pod[:max(0, strings.LastIndex(pod, "-"))]; len(owed[set]) > 0 {
				decided, owed[set] = owed[set][0], owed[set][1:]
			}
			if s := states[pod]; s.there && s.ready && t.rolled(e.By) {
				deleted = append(deleted, deletion{e.At, decided})
			}
		}
		states[e.By.Pod], _ = states[e.By.Pod].after(e.Kind)
	}
	return deleted
}
