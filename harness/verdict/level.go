package verdict

import (
	"fmt"

	"example.com/rollcall/harness/verdict/phrase"
)

// level asks how many there were at the worst moment, which depends on all that was seen before it.
type level struct {
	worst func(asked) (extreme, bool)
	most  bool // the expectation's count is the most allowed; else it is the least expected
	noun  string
	did   string // "available"
}

// An extreme is the most or the fewest there were, and when first.
type extreme struct {
	n        int
	at       string   // empty: nobody knows
	breaches []Breach // if there were too few: who can have caused that by getting no processor; empty: nobody can
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
		f.Outcome, f.Breaches = Fail, worst.breaches
	}
	return f.tell([]string{fmt.Sprintf("%s %s, "+expected, phrase.Count(worst.n, q.noun), q.did, a.Count)},
		Detail{"first at", worst.at})
}
