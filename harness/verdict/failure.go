package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeNoFailures(x evidence.Expectation, tl timeline.Timeline) Finding {
	lanes := lanesOn(x, tl)
	sent, failed := requests(lanes), timeline.Failed(lanes)
	switch {
	case sent == 0:
		return Finding{Because: "0 requests were sent through the Service"}
	case len(failed) == 0:
		return Finding{Outcome: Pass, Because: fmt.Sprintf("0 of %d requests on %s failed", sent, count(len(lanes), "lane"))}
	}
	because := fmt.Sprintf("%d of %d requests failed (%s) %s", len(failed), sent, faults(failed), account(failed, tl))
	if why := blame(failed, tl); why != "" {
		because += "; " + why
	}
	return Finding{Outcome: Fail, Because: because, Witnesses: witnesses(failed)}
}

// judgeDamageSeen takes all lanes in pods together that have the same kind of connection: which of them is hit
// is chance, but an app that exits breaks kept connections whatever the rules do. No damage is no failure
// of the cluster but a blind harness. A lane that resends hides damage, and says nothing either way.
func judgeDamageSeen(x evidence.Expectation, tl timeline.Timeline) Finding {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	if !ok {
		return Finding{Because: missing(evidence.RolloutBegun)}
	}
	var lanes []timeline.Lane
	var damage []timeline.Hit
	var perLane []string
	seen := map[evidence.Conn]int{}
	for _, lane := range lanesOn(x, tl) {
		if !lane.Kind().ShowsDamage() {
			continue
		}
		lanes = append(lanes, lane)
		failed := slices.DeleteFunc(slices.Clone(lane.Failed), func(h timeline.Hit) bool { return h.Sent < begun })
		damage = append(damage, failed...)
		seen[lane.Conn] += len(failed)
		perLane = append(perLane, fmt.Sprintf("%d on %s", len(failed), lane.ID))
	}
	sent := requests(lanes)
	if len(damage) == 0 {
		return Finding{Because: fmt.Sprintf("blind: of %d requests from pods 0 failed after the rollout began, so a loss would not be seen", sent)}
	}
	for _, conn := range slices.Sorted(maps.Keys(seen)) {
		if seen[conn] == 0 {
			return Finding{Because: fmt.Sprintf("blind: of the requests from pods over %s connections 0 failed after the rollout began, so a loss would not be seen; over others %d did", conn, len(damage))}
		}
	}
	slices.SortStableFunc(damage, func(a, b timeline.Hit) int { return cmp.Compare(a.Sent, b.Sent) })
	return Finding{
		Outcome: Pass,
		Because: fmt.Sprintf("of %d requests from pods %d failed after the rollout began (%s): %s",
			sent, len(damage), faults(damage), strings.Join(perLane, ", ")),
		Witnesses: witnesses(damage),
	}
}

func judgeMaxOutage(x evidence.Expectation, tl timeline.Timeline) Finding {
	var worst timeline.Outage
	var on timeline.Lane
	outcome := Pass
	lanes := tl.ServiceLanes()
	for _, lane := range lanes {
		for _, o := range lane.Summary.Outages {
			if kept := within(lasted(o), x.Max); worst.Failed == 0 || worse(kept, outcome) || kept == outcome && o.Length() > worst.Length() {
				worst, on, outcome = o, lane, kept
			}
		}
	}
	switch {
	case requests(lanes) == 0:
		return Finding{Because: "0 requests were sent through the Service"}
	case worst.Failed == 0:
		return Finding{Outcome: Pass, Because: fmt.Sprintf("0 outages on %s", count(len(lanes), "lane"))}
	}
	because := fmt.Sprintf("the longest outage lasted %s from %s on %s, %s allowed",
		elapsed(lasted(worst)), seconds(worst.From), on.ID, seconds(x.Max))
	if outcome == Pass {
		return Finding{Outcome: Pass, Because: because}
	}
	first := slices.IndexFunc(on.Failed, func(h timeline.Hit) bool { return h.Sent >= worst.From })
	during := on.Failed[first : first+worst.Failed]
	return Finding{
		Outcome:   outcome,
		Because:   fmt.Sprintf("%s: %s failed, %s", because, count(worst.Failed, "request"), seqs(during)),
		Witnesses: witnesses(during),
	}
}

func judgeMinOutage(x evidence.Expectation, tl timeline.Timeline) Finding {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	if !ok {
		return Finding{Because: missing(evidence.RolloutBegun)}
	}
	var least timeline.Outage // of the lanes' longest ones
	var on timeline.Lane
	lanes, over := 0, false // before the load was, and too short
	for _, lane := range lanesOn(x, tl) {
		if !lane.Kind().ShowsDamage() {
			continue
		}
		var longest timeline.Outage
		lasts := false
		for _, o := range lane.Summary.Outages {
			lasts = o.Open && o.From >= begun
			if o.From >= begun && o.Length() > longest.Length() {
				longest = o
			}
		}
		if lanes == 0 || longest.Length() < least.Length() {
			least, on = longest, lane
		}
		over = over || longest.Length() < x.Min && !lasts
		lanes++
	}
	if lanes == 0 {
		return Finding{Because: "0 lanes from pods were seen"}
	}
	length := lasted(least)
	f := Finding{Because: fmt.Sprintf("each of %s from pods went without a good reply for %s at least, %s least of them, %s expected",
		count(lanes, "lane"), elapsed(length), on.ID, seconds(x.Min))}
	switch {
	case length.Length-length.Uncertainty >= x.Min:
		f.Outcome = Pass
	case length.Length+length.Uncertainty < x.Min:
		f.Outcome = Fail
	}
	if ended, ok := tl.Mark(evidence.LoadEnded); f.Outcome == Fail && ok && !over && ended-begun < x.Min {
		f.Outcome = Inconclusive
		f.Because += fmt.Sprintf(", but it lasted to the end of the load, %s after the rollout began: no longer one could be seen",
			seconds(ended-begun))
	}
	return f
}

func lasted(o timeline.Outage) timeline.Elapsed {
	return timeline.Elapsed{Length: o.Length(), Uncertainty: o.Uncertainty}
}
