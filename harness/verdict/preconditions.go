package verdict

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// SentWhileTerminating expects that a request through the Service was sent while an old pod was terminating and another pod was
// ready: otherwise nothing shows to which pod such requests go.
func SentWhileTerminating() Expectation { return Expectation{Rule: sentWhileTerminating.ID} }

var sentWhileTerminating = Rule{
	ID: "sent-while-terminating", Claim: "clients send requests while an old pod is terminating and other pods are ready",
	Lanes: ServiceLanes, Unit: "request", Precondition: true,
	Untested: "no request was sent through the Service while an old pod was terminating and another was ready",
	exposed:  sentBesideTerminating, needs: seeing(evidence.AboutReplies, evidence.AboutAPI),
	question: some{rows: func(a args) found { return found{count: sentBesideTerminating(a)} },
		did: "{were} sent while an old pod was terminating and another was ready"},
}

var sentBesideTerminating = summed(func(s timeline.LaneSummary) int { return s.WhileTerminating })

// BothOrders expects that a node's rules certainly stopped routing to an old pod before the pod got SIGTERM, and that they, or another's,
// certainly did so after it for a pod: otherwise nothing shows that either order can happen.
func BothOrders() Expectation {
	return Expectation{Rule: bothOrders.ID, From: evidence.PodSigterm, To: evidence.RuleGone}
}

var bothOrders = Rule{
	ID: "both-orders", Claim: "nodes' rules stop routing to some old pods before their SIGTERM, and to others after it",
	Unit: "pair of steps", Untested: "no old pod was seen both to leave the rules of a node and to get SIGTERM",
	Precondition: true, needs: seeing(),
	exposed: func(a args) int {
		stopped, _ := a.tl.RulesAfterSigterm()
		return len(stopped)
	},
	question: some{did: "came in the rarer of both orders", rows: func(a args) (f found) {
		before, after := 0, 0
		stopped, _ := a.tl.RulesAfterSigterm()
		for _, rules := range stopped {
			switch {
			case rules.Lag.AtMost(0) == timeline.No:
				before++
			case rules.Lag.AtLeast(0) == timeline.No:
				after++
			}
		}
		f.count = min(before, after)
		f.facts = []Detail{{"pod-sigterm first", fmt.Sprint(before)}, {"rule-gone first", fmt.Sprint(after)},
			{"too close to tell", fmt.Sprint(len(stopped) - before - after)}}
		return f
	}},
}

// FullRate expects that every lane sent at least percent, 1 to 100, of the load asked of it.
func FullRate(percent int) Expectation { return Expectation{Rule: fullRate.ID, Percent: percent} }

// Load that was not sent shows nothing about the cluster.
var fullRate = Rule{
	ID: "full-rate", Claim: "clients send the full load asked of them",
	Lanes: AllLanes, Unit: "lane", Untested: "the run has no lane", exposed: func(a args) int { return len(a.lanes) },
	needs: seeing(evidence.AboutReplies), lack: func(a args) string { return outside("percent", a.Percent, 100) },
	question: bound{in: inShares, limits: atLeastPercent, untested: true, says: "the slowest lane sent {percent} of its load",
		rows: eachLane(func(_ args, lane timeline.Lane) row {
			return row{amount: portion(lane.Summary.Rate, float64(lane.Rate)), facts: []Detail{{"slowest", rate(lane)}},
				lack: noneOf(lane.Rate, rate(lane))}
		})},
}

func rate(lane timeline.Lane) string {
	return fmt.Sprintf("%s achieved %.1f of %s per second", lane.ID, lane.Summary.Rate, phrase.Count(lane.Rate, "request"))
}
