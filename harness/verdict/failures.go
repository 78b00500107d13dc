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

// NoFailures expects that no request through the Service fails.
func NoFailures() evidence.Expectation { return evidence.Expectation{Rule: noFailures().ID} }

func noFailures() Rule {
	return Rule{
		ID: "no-failures", Claim: "no client loses a request",
		Lanes: ServiceLanes, judge: judgeNoFailures,
		Unit: "request", Untested: "no request was sent through the Service once the rollout had begun",
		anyLoss: true,
		exposed: sentSinceBegun,
		needs:   underLoad(evidence.AboutFailures),
	}
}

func judgeNoFailures(_ evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	sent, failed := requests(lanes), timeline.Failed(lanes)
	switch {
	case sent == 0:
		return undecided("0 requests were sent through the Service")
	case len(failed) == 0:
		shows, none := shownByTerminations(tl), fmt.Sprintf("0 of %s requests failed", phrase.Number(sent))
		return Finding{
			Outcome: Pass, Grounds: Unseen, Headline: phrase.Headline(none+shows, none),
			Facts:   []Detail{{"lanes", fmt.Sprint(len(lanes))}},
			Because: fmt.Sprintf("0 of %d requests on %s failed%s", sent, phrase.Count(len(lanes), "lane"), shows),
		}
	}
	loss, of := explainLoss(failed, tl), describeHits(failed, tl)
	because := fmt.Sprintf("%d of %d requests failed (%s) %s", len(failed), sent, of.kinds, of)
	if why := loss.sentence(); why != "" {
		because += "; " + why
	}
	share := fmt.Sprintf("%s of %s requests failed", phrase.Number(len(failed)), phrase.Number(sent))
	where := of.where()
	if since, ok := tl.Since(evidence.RolloutBegun, failed[0]); ok && since.Length >= 0 {
		where += ", from " + phrase.Duration(since.Length) + " after the rollout began"
	}
	return Finding{
		Outcome: Fail, Grounds: Seen,
		Headline: phrase.Headline(append(loss.headlines(share, len(failed)),
			fmt.Sprintf("%s (%s) %s", share, of.kinds, where), share+" "+where, share)...),
		Facts:     append(of.facts(), loss.facts()...),
		Because:   because,
		Witnesses: witnesses(failed),
		Breaches:  failures(failed, tl),
	}
}

// DamageSeen expects that requests from pods do fail once the rollout began: a negative control.
func DamageSeen() evidence.Expectation { return evidence.Expectation{Rule: damageSeen().ID} }

func damageSeen() Rule {
	return Rule{
		ID: "damage-seen", Claim: "clients in the cluster lose at least one request, which shows that a loss would be seen",
		Lanes: DamageLanes, judge: judgeDamageSeen,
		Unit: "request", Untested: "no request was sent from a pod once the rollout had begun",
		Precondition: true,
		exposed:      sentSinceBegun,
		needs:        sinceBegin(evidence.AboutFailures),
	}
}

// judgeDamageSeen takes all lanes together that have the same kind of connection: which of them is hit is chance, but an
// app that exits breaks keep-alive connections whatever the rules do. No damage is no failure of the cluster but a blind
// harness. A lane that resends hides damage, and says nothing either way.
func judgeDamageSeen(_ evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	if !ok {
		return missing(evidence.RolloutBegun)
	}
	var damage []timeline.Hit
	var perLane []string
	seen := map[evidence.Conn]int{}
	for _, lane := range lanes {
		failed := slices.DeleteFunc(slices.Clone(lane.Failed), func(h timeline.Hit) bool { return h.Sent < begun })
		damage = append(damage, failed...)
		seen[lane.Conn] += len(failed)
		perLane = append(perLane, fmt.Sprintf("%d on %s", len(failed), lane.ID))
	}
	sent := requests(lanes)
	if len(damage) == 0 {
		return Finding{
			Headline: fmt.Sprintf("0 of %s requests from pods failed after the rollout began: a loss would not be seen", phrase.Number(sent)),
			Because:  fmt.Sprintf("blind: of %d requests from pods 0 failed after the rollout began, so a loss would not be seen", sent),
		}
	}
	for _, conn := range slices.Sorted(maps.Keys(seen)) {
		if seen[conn] == 0 {
			return Finding{
				Headline: fmt.Sprintf("0 requests over %s connections failed after the rollout began: a loss would not be seen", conn),
				Facts:    []Detail{{"over other connections", fmt.Sprintf("%d failed", len(damage))}},
				Because: fmt.Sprintf("blind: of the requests from pods over %s connections 0 failed after the rollout began, "+
					"so a loss would not be seen; over others %d did", conn, len(damage)),
			}
		}
	}
	slices.SortStableFunc(damage, func(a, b timeline.Hit) int { return cmp.Compare(a.Sent, b.Sent) })
	return Finding{
		Outcome: Pass, Grounds: Seen,
		Headline: fmt.Sprintf("%s of %s requests from pods failed, as they should",
			phrase.Number(len(damage)), phrase.Number(sent)),
		Facts: []Detail{{"by kind", kinds(damage)}, {"by lane", strings.Join(perLane, ", ")}},
		Because: fmt.Sprintf("of %d requests from pods %d failed after the rollout began (%s): %s",
			sent, len(damage), kinds(damage), strings.Join(perLane, ", ")),
		Witnesses: witnesses(damage),
	}
}
