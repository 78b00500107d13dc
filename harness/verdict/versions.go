package verdict

import (
	"fmt"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// Serves expects replies by exactly these versions, at least one by each.
func Serves(versions ...string) evidence.Expectation {
	return evidence.Expectation{Rule: serves().ID, Versions: versions}
}

func serves() Rule {
	return Rule{
		ID: "serves", Claim: "clients are answered by every version expected and by no other",
		Lanes: ServiceLanes, judge: judgeServes,
		Unit: "reply", Untested: "no reply named a version",
		exposed: allReplies,
		needs:   underLoad(evidence.AboutReplies),
	}
}

func judgeServes(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	if len(x.Versions) == 0 {
		return undecided("the rule names 0 versions, so it expects nothing")
	}
	answered := make(map[string]int)
	total := 0
	var others []timeline.Replies
	for _, r := range tl.Replies() {
		total += r.Count
		if r.Stray || !slices.Contains(x.Versions, r.Version) {
			others = append(others, r)
		} else {
			answered[r.Version] = r.Count
		}
	}
	if total == 0 {
		return undecided("0 replies named a version")
	}
	expected := strings.Join(x.Versions, " and ")
	if len(others) > 0 {
		of := describeReplies(others, tl)
		return byStray(Finding{
			Outcome: Fail, Grounds: Seen,
			Headline: fmt.Sprintf("%s of %s replies were by %s, expected only %s",
				phrase.Number(replies(others)), phrase.Number(total), versionsOf(others), expected),
			Facts: of.facts(),
			Because: fmt.Sprintf("%d of %d replies were by %s, expected only %s: %s",
				replies(others), total, versionsOf(others), expected, of),
			Witnesses: witnesses(examples(others)),
		}, others, total, tl)
	}
	f := Finding{Outcome: Pass, Headline: fmt.Sprintf("all %s replies were by %s", phrase.Number(total), expected)}
	var counts []string
	for _, version := range x.Versions {
		counts = append(counts, fmt.Sprintf("%s %d", version, answered[version]))
		if answered[version] == 0 && f.Outcome == Pass {
			f.Outcome, f.Headline = Fail, fmt.Sprintf("0 of %s replies were by %s, at least one expected", phrase.Number(total), version)
		}
	}
	f.Facts = []Detail{{"replies by version", strings.Join(counts, ", ")}}
	f.Because = fmt.Sprintf("of %d replies each version gave: %s", total, strings.Join(counts, ", "))
	return f
}

// OnlyServes expects that every request sent from a mark on is answered by one version.
func OnlyServes(version string, from evidence.EventKind) evidence.Expectation {
	return evidence.Expectation{Rule: onlyServes().ID, Versions: []string{version}, From: from}
}

func onlyServes() Rule {
	return Rule{
		ID: "only-serves", Claim: "from the named moment on, clients are answered by one version only",
		Lanes: ServiceLanes, judge: judgeOnlyServes,
		Unit: "reply", Untested: "no request sent after that was answered",
		exposed: repliesSinceMark,
		needs:   fromMark(),
	}
}

func judgeOnlyServes(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	if len(x.Versions) != 1 {
		return undecided(fmt.Sprintf("the rule takes 1 version, got %d", len(x.Versions)))
	}
	from, ok := tl.Mark(x.From)
	if !ok {
		return missing(x.From)
	}
	answered := tl.RepliesSince(x.From, x.Conn)
	others := slices.DeleteFunc(slices.Clone(answered), func(r timeline.Replies) bool { return r.Version == x.Versions[0] && !r.Stray })
	total, wrong, unclear := replies(answered), replies(others), 0
	for _, r := range others {
		unclear += r.Unclear
	}
	switch {
	case wrong > 0:
		others = slices.DeleteFunc(others, func(r timeline.Replies) bool { return r.Count == 0 })
		of := describeReplies(others, tl)
		return byStray(Finding{
			Outcome: Fail, Grounds: Seen,
			Headline: fmt.Sprintf("%s of %s replies after %s were by %s, not %s",
				phrase.Number(wrong), phrase.Number(total), x.From, versionsOf(others), x.Versions[0]),
			Facts: append(of.facts(), Detail{string(x.From), phrase.Seconds(from)}),
			Because: fmt.Sprintf("%d of %d replies to requests sent after %s (%s) were by %s, not %s: %s",
				wrong, total, x.From, phrase.Seconds(from), versionsOf(others), x.Versions[0], of),
			Witnesses: witnesses(examples(others)),
		}, others, total, tl)
	case total == 0:
		return undecided(fmt.Sprintf("0 requests sent after %s (%s) were answered", x.From, phrase.Seconds(from)))
	case unclear > 0:
		return Finding{
			Headline: fmt.Sprintf("%s by %s came so close to %s that clocks cannot tell which was first",
				phrase.Count(unclear, "reply"), versionsOf(others), x.From),
			Because: fmt.Sprintf("%s to requests sent within %s of %s (%s) were by %s: clocks this far apart cannot tell which came first",
				phrase.Count(unclear, "reply"), phrase.Seconds(tl.ClockUncertainty()), x.From, phrase.Seconds(from), versionsOf(others)),
		}
	}
	return Finding{
		Outcome: Pass, Grounds: Unseen,
		Headline: fmt.Sprintf("all %s replies after %s were by %s", phrase.Number(total), x.From, x.Versions[0]),
		Because: fmt.Sprintf("all %d replies to requests sent after %s (%s) were by %s",
			total, x.From, phrase.Seconds(from), x.Versions[0]),
	}
}
