package verdict

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/phrase"
)

const (
	termination   = "pod termination" // as the clients of one node see it
	noTermination = "no old pod was deleted while clients on a node were sending"
)

func terminations(a asked) int { return len(a.tl.Terminations()) }

// MinTerminations expects so many terminations, each an old pod's as one node sees it: fewer show too little.
func MinTerminations(n int) evidence.Expectation {
	return evidence.Expectation{Rule: minTerminations.ID, Count: n}
}

var minTerminations = Rule{
	ID: "min-terminations", Claim: "enough pod terminations were observed to bound the share of them that lose a request",
	Lanes: RoutedLanes, Unit: termination, Untested: noTermination, Precondition: true,
	exposed: terminations, needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	question: some{
		rows: func(a asked) found { return found{count: terminations(a)} },
		noun: termination, did: "were seen from nodes under load", least: counted,
	},
}

func counted(x evidence.Expectation) int { return x.Count }

// MinTerminationsLost expects that percent of the terminations lose a request that no other can have lost: a negative control.
func MinTerminationsLost(percent int) evidence.Expectation {
	return evidence.Expectation{Rule: minTerminationsLost.ID, Percent: percent}
}

var minTerminationsLost = Rule{
	ID: "min-terminations-lost", Claim: "clients lose a request in so many pod terminations that a loss in any would be seen",
	Lanes: RoutedLanes, Unit: termination, Untested: noTermination, Precondition: true,
	exposed: terminations, needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	question: part{
		rows: func(a asked) []share {
			all := a.tl.Terminations()
			if len(all) == 0 {
				return nil
			}
			s, shared := share{of: float64(len(all))}, 0
			var clean []string
			for _, one := range all {
				switch {
				case one.Certain > 0:
					s.got++
					continue
				case one.Lost > 0:
					shared++
				}
				clean = append(clean, one.Pod+" from "+one.Node)
			}
			s.facts = []Detail{{"lost none of their own", strings.Join(clean[:min(len(clean), maxWitnesses)], ", ")}}
			if shared > 0 {
				s.facts = append(s.facts, Detail{"lost one that may be another's", phrase.Count(shared, termination)})
			}
			return []share{s}
		},
		limits: atLeastPercent, untested: true,
		says: func(_ asked, s share) string {
			return fmt.Sprintf("%.0f of %s lost a request of their own", s.got, phrase.Count(int(s.of), termination))
		},
	},
}
