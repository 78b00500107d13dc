package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// ruleTime is how long a node may take to follow the endpoints where the scenario names no bound: kube-proxy writes its rules once
// a second at most (minSyncPeriod), so the last change waits for that, and then for two writes on a busy node.
const ruleTime = 3 * time.Second

// A substitute is how an expectation about the nodes' rules is judged where they cannot be read.
type substitute struct {
	rule   Rule
	expect evidence.Expectation
	how    string // for readers
}

// withoutRules judges an expectation about the nodes' rules by clients and the API alone. It is skipped where those
// cannot tell.
func (r Rule) withoutRules(x evidence.Expectation, run evidence.Run, tl timeline.Timeline, lack evidence.Feature) Finding {
	because := fmt.Sprintf("this cluster lacks %s: %s", lack.Name, lack.Because)
	s, ok := r.substitute(x, run, tl)
	if !ok {
		return Finding{Outcome: Skipped, Because: because}
	}
	f := s.rule.put(s.expect, tl)
	if lost := reachedNobody(tl); r.Feature == evidence.NodeRules && f.Outcome == Pass && lost > 0 {
		return Finding{Outcome: Skipped, Because: fmt.Sprintf(
			"%s; and %s over new connections from pods reached nobody known, so clients cannot tell",
			because, phrase.Count(lost, "request"))}
	}
	brief := cmp.Or(f.Headline, f.Because)
	f.Headline = phrase.Headline(brief+", "+s.how, brief)
	f.Facts = append(f.Facts, Detail{"judged", s.how}, Detail{"since", because})
	f.Because += fmt.Sprintf("; %s, for this cluster's node rules cannot be read", s.how)
	f.Evidence = s.rule.evidence(s.expect)
	if fromBarrier(s.expect) {
		f.Evidence = Clients
	}
	return f
}

// reachedNobody counts the requests that went where a node's rules led, and arrived at no pod: it may have been an old one's address.
func reachedNobody(tl timeline.Timeline) (n int) {
	for _, h := range timeline.Failed(tl.LanesWhere(evidence.LaneKind.FollowsRules)) {
		if len(h.Arrivals) == 0 {
			n++
		}
	}
	return n
}

func (r Rule) substitute(x evidence.Expectation, run evidence.Run, tl timeline.Timeline) (substitute, bool) {
	_, gone := tl.Mark(evidence.OldGone)
	_, over := tl.Mark(evidence.Barrier)
	switch {
	case r.Feature == evidence.NodeRules:
		s := substitute{rule: r, expect: x, how: "by clients"}
		switch r.ID {
		case maxRuleLag().ID:
			s.rule = maxDrainLag()
		case rulesBeforeSigterm().ID:
			s.rule.Lanes, s.rule.Feature, s.rule.judge, s.rule.exposed = RoutedLanes, "", judgeClientsBeforeSigterm, clientMargins
			s.rule.Untested = noClientMargins
		}
		return s, s.rule.Feature == "" && len(s.rule.Lanes.of(x, tl)) > 0
	case gone || !over:
		if x.From == evidence.Barrier {
			x.From = evidence.OldGone
		}
		if x.To == evidence.Barrier {
			x.To = evidence.OldGone
		}
		return substitute{r, x, "from old-gone"}, true
	}
	// The old pods stay: the barrier is then when the endpoints had changed, and each node follows in its own time.
	x.Max = timeOfRules(run)
	s := substitute{r, x, fmt.Sprintf("from %s after the endpoints", phrase.Duration(x.Max))}
	switch r.ID {
	case onlyServes().ID:
		s.rule.judge, s.rule.exposed = judgeServesAfter, repliesAfter
		return s, true
	case share().ID:
		return s, true // it adds the time by itself
	}
	return s, false
}

// timeOfRules is how long the scenario gives the nodes' rules, or ruleTime.
func timeOfRules(run evidence.Run) time.Duration {
	i := slices.IndexFunc(run.Expect, func(x evidence.Expectation) bool { return x.Rule == maxRuleLag().ID })
	if i < 0 {
		return ruleTime
	}
	return run.Expect[i].Max
}

const noClientMargins = "no old pod was both sent new connections from pods and seen to get SIGTERM"

func clientMargins(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return len(tl.ClientMargins())
}

// judgeClientsBeforeSigterm is weaker than the rules themselves: a rule that no request went by at that moment is not seen.
func judgeClientsBeforeSigterm(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	margins := tl.ClientMargins()
	if len(margins) == 0 {
		return undecided(noClientMargins)
	}
	least := margins[0]
	for _, m := range margins[1:] {
		if m.Lag.Length-m.Lag.Uncertainty < least.Lag.Length-least.Lag.Uncertainty {
			least = m
		}
	}
	if outcome := atLeast(least.Lag, time.Nanosecond); outcome != Pass {
		after := phrase.Duration(-least.Lag.Length) + " after its SIGTERM"
		return orUncertain(Finding{
			Outcome: outcome,
			Headline: phrase.Headline(fmt.Sprintf("%s was sent a new connection from %s %s", least.Pod, least.Node, after),
				"an old pod was sent a new connection "+after),
			Facts: []Detail{{"node", least.Node}, {"pod", least.Pod}, {"sent before SIGTERM by", phrase.Elapsed(least.Lag)}},
			Because: fmt.Sprintf("the last new connection from %s to %s was opened %s before its SIGTERM",
				least.Node, least.Pod, phrase.Elapsed(least.Lag)),
		})
	}
	return Finding{
		Outcome:  Pass,
		Headline: "0 new connections from pods were opened to an old pod after its SIGTERM",
		Because: fmt.Sprintf("of %s of pod and node, the least time from the last new connection from %s to %s until its SIGTERM was %s",
			phrase.Count(len(margins), "pair"), least.Node, least.Pod, phrase.Elapsed(least.Lag)),
	}
}

// secondsAfter are the whole ones from Max after a mark to the end of the load, as [begin, end).
func secondsAfter(x evidence.Expectation, tl timeline.Timeline) (begin, end int) {
	from, _ := tl.Mark(x.From)
	ended, _ := tl.Mark(evidence.LoadEnded)
	return int((from+x.Max)/time.Second) + 1, int(ended/time.Second) + 1
}

func repliesAfter(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) (n int) {
	begin, end := secondsAfter(x, tl)
	for _, lane := range lanes {
		_, total := repliesIn(lane, tl.New, begin, end)
		n += total
	}
	return n
}

// judgeServesAfter expects one version of every reply to a request that was sent a while after a mark.
func judgeServesAfter(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	if len(x.Versions) != 1 {
		return undecided(fmt.Sprintf("the rule takes 1 version, got %d", len(x.Versions)))
	}
	version, others := x.Versions[0], 0
	begin, end := secondsAfter(x, tl)
	for _, lane := range lanes {
		of, total := repliesIn(lane, version, begin, end)
		others += total - of
	}
	all := repliesAfter(x, tl, lanes)
	switch {
	case all == 0:
		return undecided(fmt.Sprintf("0 requests sent after %ds were answered", begin))
	case others > 0:
		return Finding{Outcome: Fail,
			Because: fmt.Sprintf("%d of %d replies to requests sent after %ds were not by %s", others, all, begin, version)}
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("all %d replies to requests sent after %ds were by %s", all, begin, version)}
}
