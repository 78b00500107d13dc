package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A loss counts failed requests over new connections from nodes whose rules were observed, by whether stale rules caused them.
type loss struct {
	stale     int                // sent while the node's rules still routed to a pod after its SIGTERM: a longer drain helps
	longest   timeline.StaleRule // the one of these rules with the longest lag
	otherwise int                // sent while the rules routed to no such pod: no drain helps
}

// explainLoss counts the failed requests of some lanes of which the cause is known.
func explainLoss(lanes []timeline.Lane, tl timeline.Timeline) (l loss) {
	rules, observed, sigterms := tl.StaleRules(), tl.Observed(), tl.SigtermsSeen()
	slices.SortStableFunc(rules, func(a, b timeline.StaleRule) int { return cmp.Compare(b.Lag, a.Lag) })
	for _, lane := range lanes {
		if !lane.Kind().FollowsRules() || !slices.Contains(observed, lane.Node) {
			continue
		}
		for _, h := range lane.Failed {
			i := slices.IndexFunc(rules, func(s timeline.StaleRule) bool { return s.Node == lane.Node && s.Touches(h.Sent, h.End()) })
			switch {
			case i >= 0:
				l.stale++
				if rules[i].Lag > l.longest.Lag {
					l.longest = rules[i]
				}
			case sigterms:
				l.otherwise++
			}
		}
	}
	return l
}

// headlines returns wordings that say why a share of all requests failed, such as "427 of 5,188 requests failed"; later ones are shorter.
func (l loss) headlines(share string, causes []timeline.Cause) []string {
	stale, needed := phrase.Duration(l.longest.Length()), fmt.Sprintf("%d s", sleepFor(l.longest.Lag)/time.Second)
	switch {
	case l.stale > 0:
		return []string{
			fmt.Sprintf("%s: rules of %s still routed to a dead pod for %s; pods need a preStop sleep of %s", share, l.longest.Node, stale, needed),
			fmt.Sprintf("%s: rules of %s routed to a dead pod for %s; needed preStop sleep: %s", share, l.longest.Node, stale, needed),
			fmt.Sprintf("%s: a node's rules still routed to a dead pod for %s; pods need a preStop sleep of %s", share, stale, needed),
		}
	default:
		return because(share, causes)
	}
}

func (l loss) facts() []Detail {
	var facts []Detail
	if l.stale > 0 {
		facts = []Detail{
			{"lost to stale rules", fmt.Sprint(l.stale)},
			{"node", l.longest.Node},
			{"pod", l.longest.Pod},
			{"rules routed to it", fmt.Sprintf("for %s after its endpoint left, SIGTERM came after %s",
				phrase.Seconds(l.longest.Lag), phrase.Seconds(l.longest.Drain))},
			{"needed preStop sleep", fmt.Sprintf("%d s or more, rounded up", sleepFor(l.longest.Lag)/time.Second)},
		}
	}
	if l.otherwise > 0 {
		facts = append(facts, Detail{"lost without stale rules", fmt.Sprintf("%d: a longer preStop sleep does not help", l.otherwise)})
	}
	return facts
}

// sleepFor returns a preStop sleep that covers a lag: whole seconds, with at least half a second to spare.
func sleepFor(lag time.Duration) time.Duration {
	return (lag + 500*time.Millisecond + time.Second - 1).Truncate(time.Second)
}
