package verdict

import (
	"fmt"
	"maps"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// NoSlowReplies expects that no good reply through the Service had to wait until TCP sent something again: a loss that
// its client does not see. An answer of Rollcall's own app may not take a second longer than half of those before the rollout.
func NoSlowReplies() evidence.Expectation { return evidence.Expectation{Rule: noSlowReplies().ID} }

func noSlowReplies() Rule {
	return Rule{
		ID: "no-slow-replies", Claim: "no client waits for a lost packet that TCP sends again, or a second longer than usual",
		Lanes: ServiceLanes, judge: judgeNoSlowReplies,
		Unit: "reply", exposed: goodSinceBegun, Untested: "no reply came through the Service once the rollout had begun",
		needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	}
}

func judgeNoSlowReplies(_ evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	good, slow := goodReplies(lanes), timeline.Slow(lanes)
	switch {
	case good == 0:
		return undecided("0 requests through the Service were answered")
	case len(slow) == 0:
		return Finding{
			Outcome: Pass, Grounds: Unseen,
			Headline: fmt.Sprintf("0 of %s had to wait until TCP sent something again", phrase.Count(good, "reply")),
			Because: fmt.Sprintf("0 of %s had to wait until TCP sent a SYN again, after %s, or data, after %s", phrase.Count(good, "reply"),
				phrase.Seconds(timeline.SYNResent.Timer()), phrase.Seconds(timeline.DataResent.Timer())),
		}
	}
	var doubt string // why nothing is known of the slow replies that are excused
	var certain []timeline.SlowReply
	for _, s := range slow {
		if why := strained(s.Hit, s.Cause, tl); why != "" {
			doubt = why
		} else {
			certain = append(certain, s)
		}
	}
	if len(certain) == 0 {
		f := describeSlow(slow, good, tl)
		f.Outcome, f.Starved = Inconclusive, true
		f.Headline = phrase.Headline(f.Headline+"; but "+doubt, "replies were slow; but "+doubt)
		f.Because += ", but " + doubt
		return f
	}
	f := describeSlow(certain, good, tl)
	f.Outcome, f.Grounds = Fail, Seen
	return f
}

// describeSlow says of slow replies, at least one, what made most of them late, and whose they were.
func describeSlow(slow []timeline.SlowReply, good int, tl timeline.Timeline) Finding {
	var hits []timeline.Hit
	counts := map[timeline.SlowCause]int{}
	longest := slow[0].Hit
	for _, s := range slow {
		hits = append(hits, s.Hit)
		counts[s.Cause]++
		if s.Took > longest.Took {
			longest = s.Hit
		}
	}
	causes := slices.SortedFunc(maps.Keys(counts), func(a, b timeline.SlowCause) int { return 2*(counts[b]-counts[a]) + int(b) - int(a) })
	var parts []string
	for _, c := range causes {
		parts = append(parts, fmt.Sprintf("%d %s", counts[c], c))
	}
	share, whose, of := fmt.Sprintf("%s of %s replies", phrase.Number(len(hits)), phrase.Number(good)), originOf(hits, tl), describeHits(hits, tl)
	cause := fmt.Sprintf("%s: %s", causes[0], share)
	return Finding{
		Headline: phrase.Headline(cause+", "+whose.brief+whose.follows(), cause+", "+whose.brief, cause),
		Facts: append([]Detail{{"by cause", enumerate(parts)}, {"whose", whose.long}, {"slowest", phrase.Seconds(longest.Took)}},
			of.facts()...),
		Because: fmt.Sprintf("%s came late (%s), %s, the slowest after %s; sent %s", share, enumerate(parts), whose.long,
			phrase.Seconds(longest.Took), of),
		Witnesses: witnesses(hits),
	}
}

// strained says what shows that the machine was late and not the network or the pod; empty when nothing does. A client that
// was late itself by half the timer may have been stopped; a control pod, which no rollout touches, that took 0.2 s to
// answer shows that pods were.
func strained(h timeline.Hit, cause timeline.SlowCause, tl timeline.Timeline) string {
	if late, lane := tl.Late(h); late >= cause.Timer()/2 {
		return fmt.Sprintf("%s itself sent a request %s late then", lane, phrase.Duration(late))
	}
	if took, lane := tl.SlowControl(h); cause == timeline.SlowAnswer && took > 0 {
		return fmt.Sprintf("the machine was busy: %s waited %s for a pod that is not rolled out", lane, phrase.Duration(took))
	}
	return ""
}

func goodReplies(lanes []timeline.Lane) int {
	n := 0
	for _, lane := range lanes {
		n += lane.Summary.Latency.Count
	}
	return n
}
