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
	var others []timeline.Replies
	for _, r := range tl.Replies() {
		total += r.Count
		answered[r.Version] = r.Count
		if !slices.Contains(x.Versions, r.Version) {
			others = append(others, r)
		}
	}
	if total == 0 {
		return Finding{Because: "0 replies named a version"}
	}
	if len(others) > 0 {
		return Finding{
			Outcome: Fail,
			Because: fmt.Sprintf("%d of %d replies were by %s, expected only %s: %s",
				replies(others), total, versions(others), strings.Join(x.Versions, " and "), whereabouts(others, tl)),
			Witnesses: witnesses(examples(others)),
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
	answered := tl.RepliesSince(x.From, x.Conn)
	others := slices.DeleteFunc(slices.Clone(answered), func(r timeline.Replies) bool { return r.Version == x.Versions[0] })
	total, wrong, unclear := replies(answered), replies(others), 0
	for _, r := range others {
		unclear += r.Unclear
	}
	switch {
	case wrong > 0:
		others = slices.DeleteFunc(others, func(r timeline.Replies) bool { return r.Count == 0 })
		return Finding{
			Outcome: Fail,
			Because: fmt.Sprintf("%d of %d replies to requests sent after %s (%s) were by %s, not %s: %s",
				wrong, total, x.From, seconds(from), versions(others), x.Versions[0], whereabouts(others, tl)),
			Witnesses: witnesses(examples(others)),
		}
	case total == 0:
		return Finding{Because: fmt.Sprintf("0 requests sent after %s (%s) were answered", x.From, seconds(from))}
	case unclear > 0:
		return Finding{Because: fmt.Sprintf("%s to requests sent within %s of %s (%s) were by %s: clocks this far apart cannot tell which came first",
			count(unclear, "reply"), seconds(tl.ClockUncertainty()), x.From, seconds(from), versions(others))}
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("all %d replies to requests sent after %s (%s) were by %s", total, x.From, seconds(from), x.Versions[0])}
}
