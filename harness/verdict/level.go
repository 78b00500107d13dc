package verdict

import (
	"fmt"

	"rollcall/harness/verdict/phrase"
)

// level asks how many there were at the worst moment, which depends on all that was seen before it.
type level struct {
	worst func(asked) (extreme, bool)
	most  bool // the expectation's count is the most allowed; else it is the least expected
	noun  string
	did   string // "available"
	// breaches say who can have caused it by getting no processor; nil: nobody can.
	breaches func(asked) []Breach
}

// An extreme is the most or the fewest there were, and when first.
type extreme struct {
	n  int
	at string // empty: nobody knows
}

func (q level) answer(a asked) Finding {
	worst, ok := q.worst(a)
	switch {
	case a.Count < 1:
		return undecided(fmt.Sprintf("the rule takes at least 1 pod, got %d", a.Count))
	case !ok:
		return Finding{}
	}
	f := Finding{Outcome: Pass}
	expected, kept := "at least %d expected", worst.n >= a.Count
	if q.most {
		expected, kept = "at most %d allowed", worst.n <= a.Count
	}
	if !kept {
		f.Outcome = Fail
		if q.breaches != nil {
			f.Breaches = q.breaches(a)
		}
	}
	return f.tell([]string{fmt.Sprintf("%s %s, "+expected, phrase.Count(worst.n, q.noun), q.did, a.Count)},
		Detail{"first at", worst.at})
}
