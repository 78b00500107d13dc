package verdict

import (
	"fmt"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeServes(x evidence.Expectation, tl timeline.Timeline) Finding {
	if len(x.Versions) == 0 {
		return Finding{Because: "the rule names 0 versions, so it expects nothing"}
	}
	answered := make(map[string]int)
	total := 0
	var others []evidence.Hit
	for _, h := range hitsOf(tl.ServiceLanes()) {
		if !timeline.Replied(h) {
			continue
		}
		total++
		answered[h.By.Version]++
		if !slices.Contains(x.Versions, h.By.Version) {
			others = append(others, h)
		}
	}
	if total == 0 {
		return Finding{Because: "0 replies named a version"}
	}
	if len(others) > 0 {
		return Finding{
			Outcome: Fail,
			Because: fmt.Sprintf("%d of %d replies were by %s, expected only %s: %s",
				len(others), total, versions(others), strings.Join(x.Versions, " and "), whereabouts(others, tl)),
			Witnesses: witnesses(others),
		}
	}
	outcome := Pass
	var counts []string
	for _, version := range x.Versions {
		counts = append(counts, fmt.Sprintf("%s %d", version, answered[version]))
		if answered[version] == 0 {
			outcome = Fail
		}
	}
	return Finding{Outcome: outcome, Because: fmt.Sprintf("of %d replies each version gave: %s", total, strings.Join(counts, ", "))}
}

func judgeOnlyServes(x evidence.Expectation, tl timeline.Timeline) Finding {
	if len(x.Versions) != 1 {
		return Finding{Because: fmt.Sprintf("the rule takes 1 version, got %d", len(x.Versions))}
	}
	from, ok := tl.Mark(x.From)
	if !ok {
		return Finding{Because: missing(x.From)}
	}
	replies := 0
	var others []evidence.Hit
	for _, h := range hitsOf(tl.ServiceLanes()) {
		if h.Sent < from || !timeline.Replied(h) {
			continue
		}
		replies++
		if h.By.Version != x.Versions[0] {
			others = append(others, h)
		}
	}
	switch {
	case replies == 0:
		return Finding{Because: fmt.Sprintf("0 requests sent after %s (%s) were answered", x.From, seconds(from))}
	case len(others) == 0:
		return Finding{Outcome: Pass, Because: fmt.Sprintf("all %d replies to requests sent after %s (%s) were by %s", replies, x.From, seconds(from), x.Versions[0])}
	}
	return Finding{
		Outcome: Fail,
		Because: fmt.Sprintf("%d of %d replies to requests sent after %s (%s) were by %s, not %s: %s",
			len(others), replies, x.From, seconds(from), versions(others), x.Versions[0], whereabouts(others, tl)),
		Witnesses: witnesses(others),
	}
}
