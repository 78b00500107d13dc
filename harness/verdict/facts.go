package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

const notFoundOut = "it was not found out"

// factsNoted is one for each fact, however it was found out: what the scenario did for it is not in the recording.
func factsNoted(a asked) int {
	_, ok := a.tl.FactEvent(a.Fact)
	return oneIf(ok)
}

// Fact expects that what the scenario noted under a name last is one of the values.
func Fact(name string, values ...string) evidence.Expectation {
	return evidence.Expectation{Rule: fact.ID, Fact: name, Values: values}
}

var fact = Rule{
	ID: "fact", Claim: "the cluster does what is expected",
	Unit: "fact", Untested: notFoundOut, exposed: factsNoted, needs: seeing(evidence.AboutFacts),
	lack: func(a asked) string { return namesNone(a.Values, "values") },
	question: value{
		kept:     func(x evidence.Expectation, noted string) (bool, string) { return slices.Contains(x.Values, noted), "" },
		expected: func(x evidence.Expectation) string { return strings.Join(x.Values, " or ") },
		breaches: unreadyBehind,
	},
}

// FactAtLeast expects that what the scenario noted under a name last is a number of n or more, such as "19 of 20".
func FactAtLeast(name string, n int) evidence.Expectation {
	return evidence.Expectation{Rule: factAtLeast.ID, Fact: name, Count: n}
}

var factAtLeast = Rule{
	ID: "fact-at-least", Claim: "the value is at least the expected number",
	Unit: "fact", Untested: notFoundOut, exposed: factsNoted, needs: seeing(evidence.AboutFacts),
	question: value{
		kept: func(x evidence.Expectation, noted string) (kept bool, lack string) {
			var got int
			if _, err := fmt.Sscan(noted, &got); err != nil {
				return false, noted + " is no number"
			}
			return got >= x.Count, ""
		},
		expected: func(x evidence.Expectation) string { return fmt.Sprintf("at least %d", x.Count) },
	},
}

// FactWithin expects that the duration the scenario noted under a name last is from min to max.
func FactWithin(name string, min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: factWithin.ID, Fact: name, Min: min, Max: max}
}

var factWithin = Rule{
	ID: "fact-within", Claim: "the cluster takes as long as expected",
	Unit: "fact", Untested: notFoundOut, needs: seeing(evidence.AboutFacts),
	exposed: func(a asked) int { return oneIf(noDuration(a) == "") }, lack: noDuration,
	question: bound{
		rows: func(a asked) []lasting {
			noted, _ := a.tl.FactEvent(a.Fact)
			got, _ := time.ParseDuration(noted.Detail)
			return []lasting{{Elapsed: timeline.Elapsed{Length: got}, breaches: a.lateSince(noted.At-got, got)}}
		},
		limits: ranging,
		says:   []string{"{fact}: {length}"},
	},
}

// noDuration is why what was noted is no duration; empty if it is one.
func noDuration(a asked) string {
	text, ok := a.tl.Fact(a.Fact)
	if !ok {
		return a.Fact + " was not found out"
	}
	if _, err := time.ParseDuration(text); err != nil {
		return fmt.Sprintf("%s: %s is no duration", a.Fact, text)
	}
	return ""
}

// Noted expects that the scenario noted something under a name, whatever it is: a number to report.
func Noted(name string) evidence.Expectation {
	return evidence.Expectation{Rule: noted.ID, Fact: name}
}

var noted = Rule{
	ID: "noted", Claim: "what the cluster does is known",
	Unit: "fact", Untested: notFoundOut, exposed: factsNoted, needs: seeing(evidence.AboutFacts),
	question: value{kept: func(evidence.Expectation, string) (bool, string) { return true, "" }},
}
