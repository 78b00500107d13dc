package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// AnswersAfter expects that a version still answers at least n requests that were sent after a mark.
func AnswersAfter(version string, mark evidence.EventKind, n int) evidence.Expectation {
	return evidence.Expectation{Rule: answersAfter().ID, Versions: []string{version}, From: mark, Count: n}
}

func answersAfter() Rule {
	return Rule{
		ID: "answers-after", Claim: "clients are still answered by the named version after the named moment",
		Lanes: ServiceLanes, judge: judgeAnswersAfter,
		Unit: "reply", Untested: "no request sent after that moment was answered",
		exposed: repliesSinceMark,
		needs:   fromMark(),
	}
}

func judgeAnswersAfter(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	if len(x.Versions) != 1 || x.Count < 1 {
		return undecided(fmt.Sprintf("the rule takes 1 version and at least 1 reply, got %d and %d", len(x.Versions), x.Count))
	}
	from, ok := tl.Mark(x.From)
	if !ok {
		return missing(x.From)
	}
	answered := tl.RepliesSince(x.From, x.Conn)
	total, version := replies(answered), x.Versions[0]
	var by timeline.Replies
	for _, r := range answered {
		if r.Version == version && !r.Stray {
			by = r
		}
	}
	f := Finding{
		Outcome: Pass,
		Headline: fmt.Sprintf("%s of %s replies after %s were by %s, at least %d expected",
			phrase.Number(by.Count), phrase.Number(total), x.From, version, x.Count),
		Facts: []Detail{{string(x.From), phrase.Seconds(from)}},
		Because: fmt.Sprintf("%d of %d replies to requests sent after %s (%s) were by %s, at least %d expected",
			by.Count, total, x.From, phrase.Seconds(from), version, x.Count),
	}
	switch {
	case total == 0:
		return undecided(fmt.Sprintf("0 requests sent after %s (%s) were answered", x.From, phrase.Seconds(from)))
	case by.Count >= x.Count:
		f.Facts = append(f.Facts, Detail{"last of them sent", phrase.Seconds(by.Last)})
		f.Witnesses = witnesses(by.Examples)
	case by.Count+by.Unclear >= x.Count:
		f.Outcome = Inconclusive
		return orUncertain(f)
	default:
		f.Outcome = Fail
	}
	return f
}
