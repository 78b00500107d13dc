package verdict

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// gaveUp makes a failure inconclusive that rests on requests for which a client waited only as long as Rollcall chose, since the user did
// not say how long: the pod had the request, and a user's app may be slow by itself, such as for its first replies.
func (r Rule) gaveUp(f Finding, a args) Finding {
	if f.Outcome != Fail || a.tl.ChosenTimeout == 0 {
		return f
	}
	without, n := a, 0
	without.lanes = slices.Clone(a.lanes)
	for i := range without.lanes {
		lane := &without.lanes[i]
		all := len(lane.Failed)
		lane.Failed = slices.DeleteFunc(slices.Clone(lane.Failed), awaited)
		n += all - len(lane.Failed)
	}
	if n == 0 || r.question.answer(without).Outcome == Fail {
		return f
	}
	why := fmt.Sprintf("clients gave up after %s, which --timeout changes", phrase.Duration(a.tl.ChosenTimeout))
	said := f.Headline
	f.Outcome, f.Grounds, f.Breaches = Inconclusive, Whole, nil
	f.Headline = phrase.Headline(said+"; but "+why, fmt.Sprintf("%s timed out; but %s", phrase.Count(n, a.unit), why))
	f.Because += "; but " + why
	return f
}

// awaited reports whether a request timed out that its pod's kernel had got: the connection was opened for it, and nothing was sent again.
func awaited(h timeline.Hit) bool {
	return h.Fault == evidence.Timeout && h.Connect > 0 && h.Resent == 0
}
