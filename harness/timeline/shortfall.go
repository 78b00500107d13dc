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
	unready := t.unreadiness()
	s.Lowest = want
	for _, step := range t.capacitiesBetween(from, until) {
		if step.Available >= want {
			continue
		}
		var decided time.Duration
		for _, d := range t.deletions {
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

// delete enters the deletion of a pod, if it was available. A ReplicaSet that was given a smaller size has to delete as many pods, and
// who wrote the size decided on that by what was known then. Its pods have its name and a suffix.
func (p *pass) delete(e evidence.Event, was podState) {
	decided, set := e.At, e.By.Pod[:max(0, strings.LastIndex(e.By.Pod, "-"))]
	if owed := p.owed[set]; len(owed) > 0 {
		decided, p.owed[set] = owed[0], owed[1:]
	}
	if was.there && was.ready && p.rolled(e.By) {
		p.deletions = append(p.deletions, deletion{e.At, decided})
	}
}
