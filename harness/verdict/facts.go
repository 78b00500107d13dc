package verdict

import (
	"cmp"
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

const notRecorded = "it was not recorded"

// factsNoted returns 1 if the fact was recorded, else 0: how the scenario found it out is not in the recording.
func factsNoted(a args) int {
	_, ok := a.tl.Fact(a.Fact)
	return oneIf(ok)
}

func notNoted(a args) string { return noneOf(factsNoted(a), a.Fact+" was not recorded") }

// Fact expects that the last value that the scenario noted under a name is one of the values.
func Fact(name string, values ...string) Expectation {
	return Expectation{Rule: fact.ID, Fact: name, Values: values}
}

var fact = Rule{
	ID: "fact", Claim: "the cluster does what is expected",
	Unit: "fact", Untested: notRecorded, exposed: factsNoted, needs: seeing(evidence.AboutFacts),
	lack:     func(a args) string { return cmp.Or(namesNone(a.Values, "values"), notNoted(a)) },
	question: value{},
}

// FactAtLeast expects that the last value that the scenario noted under a name is a number of n or more, such as "19 of 20".
func FactAtLeast(name string, n int) Expectation {
	return Expectation{Rule: factAtLeast.ID, Fact: name, Count: n}
}

var factAtLeast = Rule{
	ID: "fact-at-least", Claim: "the value is at least the expected number",
	Unit: "fact", Untested: notRecorded, exposed: factsNoted, lack: notNoted, needs: seeing(evidence.AboutFacts),
	question: bound{in: inNumbers, limits: atLeastCount, says: "{fact}: {noted}", rows: func(a args) []row {
		var got int
		noted, _ := a.tl.Fact(a.Fact)
		if _, err := fmt.Sscan(noted.Detail, &got); err != nil {
			return []row{{lack: fmt.Sprintf("%s: %s is not a number", a.Fact, noted.Detail)}}
		}
		return []row{{amount: amount{value: float64(got)}}}
	}},
}

// FactWithin expects that the last value that the scenario noted under a name is a duration from min to max.
func FactWithin(name string, min, max time.Duration) Expectation {
	return Expectation{Rule: factWithin.ID, Fact: name, Min: min, Max: max}
}

var factWithin = Rule{
	ID: "fact-within", Claim: "the cluster takes as long as expected",
	Unit: "fact", Untested: notRecorded, needs: seeing(evidence.AboutFacts),
	exposed: func(a args) int { return oneIf(noDuration(a) == "") }, lack: noDuration,
	question: bound{limits: ranging, says: "{fact}: {length}", rows: func(a args) []row {
		noted, _ := a.tl.Fact(a.Fact)
		got, _ := time.ParseDuration(noted.Detail)
		return []row{{amount: took(timeline.Elapsed{Length: got}), breaches: a.lateSince(noted.At-got, got)}}
	}},
}

// noDuration returns why the value is not a duration; empty if it is one.
func noDuration(a args) string {
	noted, _ := a.tl.Fact(a.Fact)
	if _, err := time.ParseDuration(noted.Detail); factsNoted(a) > 0 && err != nil {
		return fmt.Sprintf("%s: %s is not a duration", a.Fact, noted.Detail)
	}
	return notNoted(a)
}

// Noted expects that the scenario noted any value under a name, such as a number to report.
func Noted(name string) Expectation { return Expectation{Rule: noted.ID, Fact: name} }

var noted = Rule{
	ID: "noted", Claim: "what the cluster does is known",
	Unit: "fact", Untested: notRecorded, exposed: factsNoted, lack: notNoted, needs: seeing(evidence.AboutFacts),
	question: value{},
}
