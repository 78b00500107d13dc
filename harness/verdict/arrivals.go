package verdict

import (
	"fmt"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

const noArrivals = "what pods logged was not recorded, so requests cannot be followed to them"

// NoLostReplies expects that no request through the Service that a pod got ends without a reply.
func NoLostReplies() evidence.Expectation { return evidence.Expectation{Rule: noLostReplies().ID} }

func noLostReplies() Rule {
	return Rule{
		ID: "no-lost-replies", Claim: "no client misses the reply to a request that a pod got",
		Lanes: ServiceLanes, judge: judgeNoLostReplies,
		Unit: "request", Untested: "no request reached a pod once the rollout had begun",
		exposed: arrivedSinceBegun,
		needs:   underLoad(evidence.AboutFailures, evidence.AboutArrivals),
	}
}

func judgeNoLostReplies(_ evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	lost := slices.DeleteFunc(timeline.Failed(lanes), func(h timeline.Hit) bool { return !h.Lost() })
	arrived := 0
	for _, lane := range lanes {
		arrived += lane.Summary.Arrivals
	}
	f := Finding{
		Headline: fmt.Sprintf("%s of %s requests that reached a pod lost their reply", phrase.Number(len(lost)), phrase.Number(arrived)),
		Because:  fmt.Sprintf("%d of %d requests that reached a pod lost their reply", len(lost), arrived),
	}
	switch {
	case !tl.Arrived:
		return undecided(noArrivals)
	case arrived == 0:
		return undecided("0 requests through the Service reached a pod")
	case len(lost) == 0:
		f.Outcome, f.Grounds = Pass, Unseen
		return f
	}
	of := describeHits(lost, tl)
	f.Outcome, f.Grounds = Fail, Seen
	f.Headline = phrase.Headline(fmt.Sprintf("%s (%s) %s", f.Headline, of.kinds, of.where()), f.Headline)
	f.Because += fmt.Sprintf(" (%s) %s", of.kinds, of)
	f.Facts, f.Witnesses = of.facts(), witnesses(lost)
	return f
}

// NoHiddenRetries expects that every request through the Service is sent once: given to one
// connection, and logged by at most one pod.
func NoHiddenRetries() evidence.Expectation { return evidence.Expectation{Rule: noHiddenRetries().ID} }

func noHiddenRetries() Rule {
	return Rule{
		ID: "no-hidden-retries", Claim: "no client's request is sent twice behind its back",
		Lanes: RetryLanes, judge: judgeNoHiddenRetries,
		Unit: "request", Untested: "no request was sent through the Service once the rollout had begun",
		exposed: sentSinceBegun,
		needs:   underLoad(evidence.AboutReplies, evidence.AboutArrivals),
	}
}

func judgeNoHiddenRetries(_ evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	sent, again := requests(lanes), timeline.Repeated(lanes)
	f := Finding{
		Headline: fmt.Sprintf("%s of %s requests were sent more than once", phrase.Number(len(again)), phrase.Number(sent)),
		Because:  fmt.Sprintf("%d of %d requests were sent more than once", len(again), sent),
	}
	switch {
	case sent == 0:
		return undecided("0 requests were sent through the Service")
	case len(again) > 0:
		of := describeHits(again, tl)
		f.Outcome, f.Grounds = Fail, Seen
		f.Headline += " " + of.where()
		f.Because += " " + of.String()
		f.Facts, f.Witnesses = of.facts(), witnesses(again)
		return f
	case !tl.Arrived:
		return undecided(noArrivals)
	}
	f.Outcome, f.Grounds = Pass, Unseen
	return f
}
