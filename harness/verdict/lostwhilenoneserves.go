package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// LostWhileNoneServes expects that requests from pods, over each kind of connection, fail in one of these ways while no pod can
// answer: a negative control that knows why it loses requests. No loss then is no failure of the cluster but a blind harness.
func LostWhileNoneServes(kinds ...evidence.Fault) evidence.Expectation {
	x := evidence.Expectation{Rule: lostWhileNoneServes().ID}
	for _, kind := range kinds {
		x.Values = append(x.Values, string(kind))
	}
	return x
}

func lostWhileNoneServes() Rule {
	return Rule{
		ID: "lost-while-none-serves", Claim: "clients in the cluster lose requests, in the way expected, while no pod can answer",
		Lanes: DamageLanes, judge: judgeLostWhileNoneServes,
		Unit: "request", Untested: "no request was sent from a pod while no pod could answer", Precondition: true,
		exposed: sentWhileNoneServing,
		needs:   sinceBegin(evidence.AboutFailures, evidence.AboutAPI),
	}
}

func sentWhileNoneServing(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.Summary.WhileNoneServing
	}
	return n
}

func judgeLostWhileNoneServes(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	sent := phrase.Count(sentWhileNoneServing(x, tl, lanes), "request")
	windows, wanted := tl.NoneServing(), strings.Join(x.Values, " or ")
	var lost []timeline.Hit
	others, seen := 0, map[evidence.Conn]int{}
	for _, lane := range lanes {
		seen[lane.Conn] += 0
		for _, h := range lane.Failed {
			if !lane.SentIn(h, windows, 0) || !slices.Contains(x.Values, string(h.Fault)) {
				others++
				continue
			}
			lost = append(lost, h)
			seen[lane.Conn]++
		}
	}
	if len(lanes) == 0 || len(x.Values) == 0 {
		return undecided(fmt.Sprintf("%d lanes and %d kinds of failure are not enough to see a loss", len(lanes), len(x.Values)))
	}
	for _, conn := range slices.Sorted(maps.Keys(seen)) {
		if seen[conn] == 0 {
			return undecided(fmt.Sprintf("blind: of %s sent from pods while no pod could answer 0 over %s connections were %s; %d failed otherwise",
				sent, conn, wanted, others))
		}
	}
	slices.SortStableFunc(lost, func(a, b timeline.Hit) int { return cmp.Compare(a.Sent, b.Sent) })
	return Finding{
		Outcome: Pass,
		Headline: fmt.Sprintf("%s of %s from pods were %s while no pod could answer, as they should",
			phrase.Number(len(lost)), sent, wanted),
		Facts:     []Detail{{"by kind", kinds(lost)}, {"failed otherwise", fmt.Sprint(others)}},
		Because:   fmt.Sprintf("of %s sent from pods while no pod could answer %d were %s; %d failed otherwise", sent, len(lost), wanted, others),
		Witnesses: witnesses(lost),
	}
}
