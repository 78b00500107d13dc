package verdict

import (
	"fmt"
	"maps"
	"slices"
	"time"

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
	f := describeSlow(slow, good, tl)
	f.Outcome, f.Grounds = Fail, Seen
	for _, reply := range slow {
		f.Breaches = append(f.Breaches, slowBreach(reply, tl))
	}
	return f
}

// slowBreach is that of a slow reply. What TCP sent again it sent because nobody answered for as long as its timer, for which the
// process of the pod is not needed.
func slowBreach(s timeline.SlowReply, tl timeline.Timeline) Breach {
	usual := tl.Usual(s.Lane)
	b := latencies([]timeline.Hit{s.Hit}, func(timeline.Hit) time.Duration { return answerTime + usual + s.Connect }, tl)[0]
	if s.Cause != timeline.SlowAnswer {
		b.By = slices.DeleteFunc(b.By, func(a timeline.Actor) bool { return a.Pod != "" })
		b.Late = s.Cause.Timer() / 2
	}
	return b
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

func goodReplies(lanes []timeline.Lane) int {
	n := 0
	for _, lane := range lanes {
		n += lane.Summary.Latency.Count
	}
	return n
}
