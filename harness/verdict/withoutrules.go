package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// ruleTime is how long a node may take to follow the endpoints if the scenario names no limit: kube-proxy writes its rules at most once
// a second (minSyncPeriod), so the last change waits for that, and on a busy node for two writes.
const ruleTime = 3 * time.Second

// withoutRules judges an expectation about the nodes' rules by clients and the API alone, by another rule if necessary. It skips one
// that these cannot decide.
func (r Rule) withoutRules(x Expectation, run evidence.Run, tl timeline.Timeline, lack evidence.Feature) Finding {
	because := lacks(lack)
	by, x, how := r.substitute(x, run, tl)
	if how == "" || r.Feature == evidence.NodeRules && len(by.Lanes.of(x, tl)) == 0 {
		return Finding{Outcome: Skipped, Because: because}
	}
	f := by.judge(x, tl)
	if lost := reachedNobody(tl); r.Feature == evidence.NodeRules && f.Outcome == Pass && lost > 0 {
		return Finding{Outcome: Skipped, Because: fmt.Sprintf(
			"%s; and %s over new connections from pods reached no known pod, so clients cannot decide it",
			because, phrase.Count(lost, "request"))}
	}
	brief := cmp.Or(f.Headline, f.Because)
	f.Headline = phrase.Headline(brief+", "+how, brief)
	f.Facts = append(f.Facts, Detail{"judged", how}, Detail{"since", because})
	f.Because += fmt.Sprintf("; %s, for this cluster's node rules cannot be read", how)
	f.Evidence = by.evidence(x)
	if fromBarrier(x) {
		f.Evidence = Clients
	}
	return f
}

func lacks(feature evidence.Feature) string {
	return fmt.Sprintf("this cluster lacks %s: %s", feature.Name, feature.Because)
}

// reachedNobody counts the failed requests that a node's rules routed and that arrived at no pod: they may have gone to an old pod's
// address.
func reachedNobody(tl timeline.Timeline) (n int) {
	for _, h := range timeline.Failed(tl.LanesWhere(evidence.LaneKind.FollowsRules)) {
		if len(h.Arrivals) == 0 {
			n++
		}
	}
	return n
}

// substitute returns which rule judges instead, which expectation, and words for how; no words if no rule can.
func (r Rule) substitute(x Expectation, run evidence.Run, tl timeline.Timeline) (by Rule, _ Expectation, how string) {
	_, gone := tl.Mark(evidence.OldGone)
	_, over := tl.Mark(evidence.Barrier)
	by, known := RuleOf(r.ByClients)
	switch {
	case r.Feature == evidence.NodeRules && !known:
		return r, x, ""
	case r.Feature == evidence.NodeRules:
		return by, x, "by clients"
	case gone || !over:
		if x.From == evidence.Barrier {
			x.From = evidence.OldGone
		}
		if x.To == evidence.Barrier {
			x.To = evidence.OldGone
		}
		return r, x, "from old-gone"
	}
	// The old pods stay: then the barrier is when the endpoints had changed, and each node follows in its own time.
	x.Max = timeOfRules(run)
	how = fmt.Sprintf("from %s after the endpoints", phrase.Duration(x.Max))
	switch {
	case known:
		return by, x, how
	case r.ID == shareOfReplies.ID:
		return r, x, how // it adds the time by itself
	}
	return r, x, ""
}

// timeOfRules returns how long the scenario lets the nodes' rules take, or ruleTime.
func timeOfRules(run evidence.Run) time.Duration {
	i := slices.IndexFunc(run.Expect, func(x Expectation) bool { return x.Rule == maxRuleLag.ID })
	if i < 0 {
		return ruleTime
	}
	return run.Expect[i].Max
}
