package verdict

import (
	"fmt"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MaxOutage expects that no lane through the Service goes longer than d without a good send.
func MaxOutage(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxOutage().ID, Max: d}
}

func maxOutage() Rule {
	return Rule{
		ID: "max-outage", Claim: "no client goes without good replies for longer than allowed",
		Lanes: ServiceLanes, judge: judgeMaxOutage,
		Unit: "request", Untested: "no request was sent through the Service once the rollout had begun",
		exposed: sentSinceBegun,
		needs:   underLoad(evidence.AboutFailures, evidence.AboutLatencies),
	}
}

func judgeMaxOutage(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	var worst timeline.Outage
	var on timeline.Lane
	outcome := Pass
	for _, lane := range lanes {
		for _, o := range lane.Summary.Outages {
			if kept := within(lasted(o), x.Max); worst.Failed == 0 || worse(kept, outcome) || kept == outcome && o.Length() > worst.Length() {
				worst, on, outcome = o, lane, kept
			}
		}
	}
	switch {
	case requests(lanes) == 0:
		return undecided("0 requests were sent through the Service")
	case worst.Failed == 0:
		return Finding{Outcome: Pass, Grounds: Unseen, Because: fmt.Sprintf("0 outages on %s", phrase.Count(len(lanes), "lane"))}
	}
	f := Finding{
		Outcome: outcome,
		Headline: fmt.Sprintf("the longest outage lasted %s, %s allowed: %s failed on %s",
			phrase.Duration(worst.Length()), phrase.Duration(x.Max), phrase.Count(worst.Failed, "request"), on.ID),
		Facts: []Detail{{"lane", on.ID}, {"from", phrase.Seconds(worst.From)}, {"lasted", phrase.Elapsed(lasted(worst))}},
		Because: fmt.Sprintf("the longest outage lasted %s from %s on %s, %s allowed",
			phrase.Elapsed(lasted(worst)), phrase.Seconds(worst.From), on.ID, phrase.Seconds(x.Max)),
	}
	if outcome == Pass {
		f.Grounds = Unseen
		return f
	}
	f.Grounds = Seen
	first := slices.IndexFunc(on.Failed, func(h timeline.Hit) bool { return h.Sent >= worst.From })
	during := on.Failed[first : first+worst.Failed]
	f.Because += fmt.Sprintf(": %s failed, %s", phrase.Count(worst.Failed, "request"), seqs(during, len(during)))
	f.Facts = append(f.Facts, Detail{"by kind", kinds(during)}, Detail{"requests", seqs(during, len(during))})
	f.Witnesses, f.Breaches = witnesses(during), failures(during, tl)
	return orUncertain(f)
}

// MinOutage expects that every client in the cluster goes without a good send for d at least once the rollout began: a
// negative control of how much is lost.
func MinOutage(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: minOutage().ID, Min: d}
}

func minOutage() Rule {
	return Rule{
		ID: "min-outage", Claim: "every client in the cluster goes without good replies for as long as expected",
		Lanes: DamageLanes, judge: judgeMinOutage,
		Unit: "lane", Untested: "no client in the cluster sent a request once the rollout had begun",
		exposed: lanesSinceBegun,
		needs:   sinceBegin(evidence.AboutFailures, evidence.AboutLatencies),
	}
}

func judgeMinOutage(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	switch {
	case !ok:
		return missing(evidence.RolloutBegun)
	case len(lanes) == 0:
		return undecided("0 lanes from pods were seen")
	}
	var least timeline.Outage // of the lanes' longest ones
	var on timeline.Lane
	over := false // before the load was, and too short
	for i, lane := range lanes {
		var longest timeline.Outage
		lasts := false
		for _, o := range lane.Summary.Outages {
			lasts = o.Open && o.From >= begun
			if o.From >= begun && o.Length() > longest.Length() {
				longest = o
			}
		}
		if i == 0 || longest.Length() < least.Length() {
			least, on = longest, lane
		}
		over = over || longest.Length() < x.Min && !lasts
	}
	length := lasted(least)
	f := Finding{
		Outcome: atLeast(length, x.Min),
		Headline: fmt.Sprintf("every lane from pods went without a good reply for %s or more, at least %s expected",
			phrase.Duration(length.Length), phrase.Duration(x.Min)),
		Facts: []Detail{{"lane with the least", on.ID}, {"lasted", phrase.Elapsed(length)}},
		Because: fmt.Sprintf("each of %s from pods went without a good reply for %s at least, %s least of them, %s expected",
			phrase.Count(len(lanes), "lane"), phrase.Elapsed(length), on.ID, phrase.Seconds(x.Min)),
	}
	if f.Outcome == Fail {
		f.Headline = fmt.Sprintf("the outage on %s lasted only %s, at least %s expected",
			on.ID, phrase.Duration(length.Length), phrase.Duration(x.Min))
	}
	if ended, ok := tl.Mark(evidence.LoadEnded); f.Outcome == Fail && ok && !over && ended-begun < x.Min {
		f.Outcome = Inconclusive
		f.Headline = fmt.Sprintf("the outage lasted to the end of the load, %s after the rollout began: a longer one could not be seen",
			phrase.Duration(ended-begun))
		f.Because += fmt.Sprintf(", but it lasted to the end of the load, %s after the rollout began: no longer one could be seen",
			phrase.Seconds(ended-begun))
		return f
	}
	return orUncertain(f)
}

func lasted(o timeline.Outage) timeline.Elapsed {
	return timeline.Elapsed{Length: o.Length(), Uncertainty: o.Uncertainty}
}
