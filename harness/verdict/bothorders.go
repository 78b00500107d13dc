package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// BothOrders expects that one event came surely before another of some old pods, and surely after it of others: else nothing
// shows that their order is left open. An event about a node's rules is looked at by node.
func BothOrders(a, b evidence.EventKind) evidence.Expectation {
	return evidence.Expectation{Rule: bothOrders().ID, From: a, To: b}
}

func bothOrders() Rule {
	return Rule{
		ID: "both-orders", Claim: "of the old pods some take two steps of their end in one order, and some in the other",
		judge: judgeBothOrders,
		Unit:  "pair of steps", Untested: "no old pod was seen to take both steps", Precondition: true,
		exposed: ordersSeen,
		needs:   seeing(),
	}
}

func ordersSeen(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return len(tl.Orders(x.From, x.To))
}

func judgeBothOrders(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	orders := tl.Orders(x.From, x.To)
	before, after := 0, 0
	for _, o := range orders {
		switch {
		case o.Lag.Length > o.Lag.Uncertainty:
			before++
		case -o.Lag.Length > o.Lag.Uncertainty:
			after++
		}
	}
	f := Finding{
		Outcome: Pass, Grounds: Seen,
		Headline: fmt.Sprintf("%s came before %s %s, and after it %s", x.From, x.To, times(before), times(after)),
		Because: fmt.Sprintf("of %s %d had %s first, %d had %s first and %d were too close to tell",
			phrase.Count(len(orders), "pair of steps"), before, x.From, after, x.To, len(orders)-before-after),
	}
	if before == 0 || after == 0 {
		f.Outcome, f.Grounds = Inconclusive, Unseen
		f.Headline += ": both orders are to be seen"
		f.Because += ": both are to be seen"
	}
	return f
}

func times(n int) string { return phrase.Count(n, "time") }
