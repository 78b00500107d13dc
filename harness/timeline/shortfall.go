package timeline

import (
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Shortfall is a time in which fewer pods were available than wanted, only because pods had become unready by themselves.
type Shortfall struct {
	Lowest  int // the fewest available pods
	Because []Unready
}

// A deletion is when an available pod was deleted, and when that was decided.
type deletion struct{ at, decided time.Duration }

// Shortfall returns the shortfall between two moments. It is absent when no pod was missing, or when unready pods do not explain how many
// were. A pod that was unready before the last deletion was decided explains none: the controller had counted it as missing.
func (t Timeline) Shortfall(want int, from, until time.Duration) (s Shortfall, ok bool) {
	unready := t.unreadiness()
	s.Lowest = want
	for _, step := range t.Capacities(from, until) {
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

// delete enters the deletion of a pod, if it was available. If its ReplicaSet owes a deletion, that was decided when the size was
// written, by what was known then. A ReplicaSet's pods have its name and a suffix.
func (p *pass) delete(e evidence.Event, was podState) {
	decided, set := e.At, e.By.Pod[:max(0, strings.LastIndex(e.By.Pod, "-"))]
	if owed := p.owed[set]; len(owed) > 0 {
		decided, p.owed[set] = owed[0], owed[1:]
	}
	if was.there && was.ready && p.rolled(e.By) {
		p.deletions = append(p.deletions, deletion{e.At, decided})
	}
}
