package verdict

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/evidence"
)

// value is the question whether the last value that the scenario noted for a fact is one of the expected values, if there are any.
type value struct{}

func (value) answer(a args) Finding {
	noted, _ := a.tl.Fact(a.Fact)
	says := a.Fact + ": " + noted.Detail
	if len(a.Values) == 0 || slices.Contains(a.Values, noted.Detail) {
		return Finding{Outcome: Pass}.withTexts([]string{says})
	}
	return Finding{Outcome: Fail, Breaches: unreadyBehind(a, noted)}.withTexts([]string{says + a.fill(", expected {values}")})
}

// unreadyBehind returns the breaches of a fact that counts available pods and is too small because of pods that became unready. A fact
// that counts the fewest is about the whole rollout, others about the time since a ReplicaSet was last given a size.
func unreadyBehind(a args, noted evidence.Event) []Breach {
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
