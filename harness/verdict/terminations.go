package verdict

import (
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

const (
	termination   = "pod termination" // as the clients of one node see it
	noTermination = "no old pod was deleted while clients on a node were sending"
)

// terminations counts those that are independent.
func terminations(a args) int {
	n, _ := a.tl.Ends().Samples()
	return n
}

// MinTerminations expects at least n terminations, one for each old pod and node, or for each old pod where nodes' rules were not read:
// fewer show too little.
func MinTerminations(n int) Expectation { return Expectation{Rule: minTerminations.ID, Count: n} }

var minTerminations = Rule{
	ID: "min-terminations", Claim: "enough pod terminations were observed to bound the share of them that lose a request",
	Lanes: RoutedLanes, Unit: termination, Untested: noTermination, Precondition: true, exposed: terminations,
	needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	question: some{rows: func(a args) found { return found{count: terminations(a), facts: countedBy(a.tl)} }, noun: termination,
		did: "{were} seen from nodes under load", least: expectedCount},
}

// countedBy says of what each is one termination.
func countedBy(tl timeline.Timeline) []Detail {
	if tl.Ends().ByNode {
		return []Detail{{"counted", "for each pod and node"}}
	}
	return []Detail{{"counted", "for each pod, since nodes' rules were not read"}}
}

func expectedCount(x Expectation) int { return x.Count }

func oneOrMore(x Expectation) int { return max(1, x.Count) }

// MinTerminationsLost expects that at least percent of the terminations lose a request that no other termination can have lost: a
// negative control.
func MinTerminationsLost(percent int) Expectation {
	return Expectation{Rule: minTerminationsLost.ID, Percent: percent}
}

var minTerminationsLost = Rule{
	ID: "min-terminations-lost", Claim: "clients lose a request in so many pod terminations that a loss in any would be seen",
	Lanes: RoutedLanes, Unit: termination, Untested: noTermination, Precondition: true,
	exposed: func(a args) int { return len(a.tl.Terminations()) },
	needs:   sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	question: bound{in: inShares, limits: atLeastPercent, untested: true, says: "{got} of {of}, counted by node, lost a request of their own",
		rows: func(a args) []row {
			all := a.tl.Terminations()
			if len(all) == 0 {
				return nil
			}
			shared := 0
			var clean []string
			for _, one := range all {
				if one.Certain == 0 {
					shared += oneIf(one.Lost > 0)
					clean = append(clean, one.Pod+" from "+one.Node)
				}
			}
			r := row{amount: portion(len(all)-len(clean), len(all))}
			r.facts = []Detail{{"lost none of their own", strings.Join(clean[:min(len(clean), maxWitnesses)], ", ")}}
			if shared > 0 {
				r.facts = append(r.facts, Detail{"lost one that may be another's", phrase.Count(shared, termination)})
			}
			return []row{r}
		}},
}
