package verdict

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/evidence"
)

// value asks what the scenario noted under the name of a fact last.
type value struct {
	// kept reports whether what was noted is as expected, or why that cannot be told.
	kept     func(x evidence.Expectation, noted string) (kept bool, lack string)
	expected func(evidence.Expectation) string // in words; empty: anything
	// breaches say who can have caused it by getting no processor; nil: nobody can.
	breaches func(asked, evidence.Event) []Breach
}

func (q value) answer(a asked) Finding {
	noted, ok := a.tl.FactEvent(a.Fact)
	if !ok {
		return undecided(a.Fact + " was not found out")
	}
	kept, lack := q.kept(a.Expectation, noted.Detail)
	switch {
	case lack != "":
		return undecided(fmt.Sprintf("%s: %s", a.Fact, lack))
	case kept:
		return Finding{Outcome: Pass}.tell([]string{fmt.Sprintf("%s: %s", a.Fact, noted.Detail)})
	}
	f := Finding{Outcome: Fail}
	if q.breaches != nil {
		f.Breaches = q.breaches(a, noted)
	}
	return f.tell([]string{fmt.Sprintf("%s: %s, expected %s", a.Fact, noted.Detail, q.expected(a.Expectation))})
}

// unreadyBehind are the breaches of a fact that counts available pods and is too small because of pods that turned unready. It is about
// the whole rollout if it counts the fewest, else about the time since a ReplicaSet was given a size last.
func unreadyBehind(a asked, noted evidence.Event) []Breach {
	var got int
	if _, err := fmt.Sscan(noted.Detail, &got); err != nil || a.Counts == "" {
		return nil
	}
	from, begun := a.tl.Mark(evidence.RolloutBegun)
	var wanted []int
	for _, value := range a.Values {
		var want int
		if _, err := fmt.Sscan(value, &want); err != nil {
			return nil
		}
		wanted = append(wanted, want)
	}
	if !begun || len(wanted) == 0 {
		return nil
	}
	sizes, _ := a.tl.Scalings()
	for _, size := range sizes {
		if size.At <= noted.At && a.Counts != evidence.FewestAvailable {
			from = size.At
		}
	}
	short, ok := a.tl.Shortfall(slices.Min(wanted), from, noted.At)
	if !ok || got < short.Lowest {
		return nil
	}
	return unready(short.Because)
}
