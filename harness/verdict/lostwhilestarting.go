package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// LostWhileStarting expects that requests from pods over new connections are refused while a pod counts as ready and does not
// listen yet: a negative control that knows why it loses requests. No such loss is no failure of the cluster but a blind harness.
func LostWhileStarting() evidence.Expectation {
	return evidence.Expectation{Rule: lostWhileStarting().ID, Conn: evidence.Fresh}
}

func lostWhileStarting() Rule {
	return Rule{
		ID: "lost-while-starting", Claim: "clients in the cluster are refused by pods that count as ready and do not listen yet",
		Lanes: DamageLanes, judge: judgeLostWhileStarting,
		Unit: "request", Untested: "no request was sent from a pod while a pod counted as ready and did not listen yet",
		Precondition: true,
		exposed:      sentWhileStarting,
		needs:        sinceBegin(evidence.AboutFailures, evidence.AboutAPI, evidence.AboutPodSteps),
	}
}

func sentWhileStarting(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.Summary.WhileStarting
	}
	return n
}

func judgeLostWhileStarting(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	sent, windows := phrase.Count(sentWhileStarting(x, tl, lanes), "request"), tl.ReadyUnlistening()
	var lost []timeline.Hit
	others := 0
	for _, lane := range lanes {
		for _, h := range lane.Failed {
			if h.Fault == evidence.Refused && lane.SentIn(h, windows, 0) {
				lost = append(lost, h)
			} else {
				others++
			}
		}
	}
	if len(lost) == 0 {
		return undecided(fmt.Sprintf("blind: of %s sent from pods while a pod counted as ready and did not listen yet 0 were refused; "+
			"%d failed otherwise", sent, others))
	}
	slices.SortStableFunc(lost, func(a, b timeline.Hit) int { return cmp.Compare(a.Sent, b.Sent) })
	return Finding{
		Outcome: Pass, Grounds: Seen,
		Headline: fmt.Sprintf("%s of %s from pods were refused while a pod counted as ready and did not listen yet, as they should",
			phrase.Number(len(lost)), sent),
		Facts: []Detail{{"failed otherwise", fmt.Sprint(others)}},
		Because: fmt.Sprintf("of %s sent from pods while a pod counted as ready and did not listen yet %d were refused; %d failed otherwise",
			sent, len(lost), others),
		Witnesses: witnesses(lost),
	}
}
