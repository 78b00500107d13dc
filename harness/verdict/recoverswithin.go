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

// RecoversWithin expects that no request through the Service fails that is sent later than d after a mark, such as
// [evidence.DisruptionBegun].
func RecoversWithin(d time.Duration, mark evidence.EventKind) evidence.Expectation {
	return evidence.Expectation{Rule: recoversWithin().ID, From: mark, Max: d}
}

// Until limits an expectation that counts from a mark to what was sent before another mark.
func Until(mark evidence.EventKind, x evidence.Expectation) evidence.Expectation {
	x.To = mark
	return x
}

func recoversWithin() Rule {
	return Rule{
		ID: "recovers-within", Claim: "no client loses a request that it sends later than allowed after the named moment",
		Lanes: ServiceLanes, judge: judgeRecoversWithin,
		Unit: "request", Untested: "no request was sent so long after that moment",
		exposed: sentAfterRecovery,
		needs: func(x evidence.Expectation) needs {
			return needs{subjects: []evidence.Subject{evidence.AboutFailures}, marks: []evidence.EventKind{evidence.LoadEnded}}
		},
	}
}

func judgeRecoversWithin(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	from, ok := tl.Mark(x.From)
	if !ok {
		return missing(x.From)
	}
	failed := timeline.Failed(lanes)
	until, limited := tl.Mark(x.To)
	if x.To != "" && !limited {
		return missing(x.To)
	}
	late := slices.DeleteFunc(slices.Clone(failed), func(h timeline.Hit) bool { return h.Sent <= from+x.Max || limited && h.Sent >= until })
	if len(late) == 0 {
		last := "none failed"
		if len(failed) > 0 {
			last = fmt.Sprintf("the last of %s that failed was sent %s after %s", phrase.Count(len(failed), "request"),
				phrase.Duration(latest(failed)-from), x.From)
		}
		return Finding{
			Outcome: Pass, Grounds: Unseen, Headline: fmt.Sprintf("%s, %s allowed", last, phrase.Duration(x.Max)),
			Because: fmt.Sprintf("0 requests failed that were sent later than %s after %s (%s): %s",
				phrase.Duration(x.Max), x.From, phrase.Seconds(from), last),
		}
	}
	of := describeHits(late, tl)
	return Finding{
		Outcome: Fail, Grounds: Seen,
		Headline: fmt.Sprintf("%s failed later than %s after %s, the last %s after it", phrase.Count(len(late), "request"),
			phrase.Duration(x.Max), x.From, phrase.Duration(latest(late)-from)),
		Facts: of.facts(),
		Because: fmt.Sprintf("%s failed (%s) that were sent later than %s after %s (%s), the last %s after it; %s",
			phrase.Count(len(late), "request"), of.kinds, phrase.Duration(x.Max), x.From, phrase.Seconds(from),
			phrase.Duration(latest(late)-from), of),
		Witnesses: witnesses(late),
		Breaches:  failures(late, tl),
	}
}

// latest is when the last of some hits was sent.
func latest(hits []timeline.Hit) time.Duration {
	return slices.MaxFunc(hits, func(a, b timeline.Hit) int { return cmp.Compare(a.Sent, b.Sent) }).Sent
}

// sentAfterRecovery are the requests that could have failed too late, as far as whole lanes tell: those of lanes that sent any.
func sentAfterRecovery(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) (n int) {
	from, ok := tl.Mark(x.From)
	if !ok {
		return 0
	}
	until, limited := tl.Mark(x.To)
	for _, lane := range lanes {
		for _, agent := range lane.Summary.Agents {
			last := agent.LastSent
			if limited {
				last = min(last, until)
			}
			if late := last - (from + x.Max); late > 0 {
				n += int(late.Seconds() * float64(lane.Rate) / float64(lane.AgentCount()))
			}
		}
	}
	return n
}
