package verdict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// Fact expects that what the scenario noted under a name last is one of the values.
func Fact(name string, values ...string) evidence.Expectation {
	return evidence.Expectation{Rule: fact().ID, Fact: name, Values: values}
}

func fact() Rule {
	return Rule{
		ID: "fact", Claim: "the cluster does what is expected",
		judge: judgeFact,
		Unit:  "fact", Untested: "it was not found out",
		exposed: factsNoted,
		needs:   seeing(evidence.AboutFacts),
	}
}

func judgeFact(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	got, ok := tl.Fact(x.Fact)
	switch {
	case len(x.Values) == 0:
		return undecided(fmt.Sprintf("the rule names 0 values for %s", x.Fact))
	case !ok:
		return notNoted(x)
	case slices.Contains(x.Values, got):
		return Finding{Outcome: Pass, Because: fmt.Sprintf("%s: %s", x.Fact, got)}
	}
	expected := strings.Join(x.Values, " or ")
	f := Finding{
		Outcome: Fail,
		Facts:   []Detail{{x.Fact, got}, {"expected", expected}},
		Because: fmt.Sprintf("%s: %s, expected %s", x.Fact, got, expected),
	}
	f.Breaches = unready(unreadyBehind(x, tl))
	return f
}

// unreadyBehind names the pods that explain why a fact that counts available pods is too small. It is about the whole rollout
// if it counts the fewest, else about the time since a ReplicaSet was given a size last.
func unreadyBehind(x evidence.Expectation, tl timeline.Timeline) []timeline.Unready {
	if !slices.Contains(strings.Fields(x.Fact), "available") {
		return nil
	}
	noted, _ := tl.FactEvent(x.Fact)
	got, err := strconv.Atoi(noted.Detail)
	if err != nil {
		return nil
	}
	least := math.MaxInt
	for _, value := range x.Values {
		want, err := strconv.Atoi(value)
		if err != nil {
			return nil
		}
		least = min(least, want)
	}
	from, begun := tl.Mark(evidence.RolloutBegun)
	if !begun {
		return nil
	}
	sizes, _ := tl.Scalings()
	for _, size := range sizes {
		if size.At <= noted.At && !slices.Contains(strings.Fields(x.Fact), "fewest") {
			from = size.At
		}
	}
	short, ok := tl.Shortfall(least, from, noted.At)
	if !ok || got < short.Lowest {
		return nil
	}
	return short.Because
}

// FactWithin expects that the duration the scenario noted under a name last is from min to max.
func FactWithin(name string, min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: factWithin().ID, Fact: name, Min: min, Max: max}
}

func factWithin() Rule {
	return Rule{
		ID: "fact-within", Claim: "the cluster takes as long as expected",
		judge: judgeFactWithin,
		Unit:  "fact", Untested: "it was not found out",
		exposed: durationsNoted,
		needs:   seeing(evidence.AboutFacts),
	}
}

func judgeFactWithin(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	text, ok := tl.Fact(x.Fact)
	if !ok {
		return notNoted(x)
	}
	got, err := time.ParseDuration(text)
	if err != nil {
		return undecided(fmt.Sprintf("%s: %s is no duration", x.Fact, text))
	}
	f := Finding{Outcome: Pass, Because: fmt.Sprintf("%s: %s, expected %s to %s",
		x.Fact, phrase.Seconds(got), phrase.Seconds(x.Min), phrase.Seconds(x.Max))}
	if got < x.Min || got > x.Max {
		f.Outcome = Fail
	}
	if got > x.Max {
		noted, _ := tl.FactEvent(x.Fact)
		f.Breaches = late(timeline.Window{From: noted.At - got, To: noted.At}, got-x.Max,
			append(timeline.ControlPlane(), timeline.OnNode("")...)...)
	}
	return f
}

// Noted expects that the scenario noted something under a name, whatever it is: a number to report.
func Noted(name string) evidence.Expectation {
	return evidence.Expectation{Rule: noted().ID, Fact: name}
}

func noted() Rule {
	return Rule{
		ID: "noted", Claim: "what the cluster does is known",
		judge: judgeNoted,
		Unit:  "fact", Untested: "it was not found out",
		exposed: factsNoted,
		needs:   seeing(evidence.AboutFacts),
	}
}

func judgeNoted(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	got, ok := tl.Fact(x.Fact)
	if !ok {
		return notNoted(x)
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("%s: %s", x.Fact, got)}
}

func notNoted(x evidence.Expectation) Finding {
	return undecided(fmt.Sprintf("%s was not found out", x.Fact))
}
