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
)

func judgeFact(x evidence.Expectation, tl timeline.Timeline) Finding {
	got, ok := tl.Fact(x.Fact)
	switch {
	case len(x.Values) == 0:
		return Finding{Because: fmt.Sprintf("the rule names 0 values for %s", x.Fact)}
	case !ok:
		return Finding{Because: fmt.Sprintf("%s was not found out", x.Fact)}
	case slices.Contains(x.Values, got):
		return Finding{Outcome: Pass, Because: fmt.Sprintf("%s: %s", x.Fact, got)}
	}
	f := Finding{Outcome: Fail, Because: fmt.Sprintf("%s: %s, expected %s", x.Fact, got, strings.Join(x.Values, " or "))}
	if pods := shortOf(x, tl); len(pods) > 0 {
		return undeleted(f, pods)
	}
	return f
}

// shortOf names the pods that explain why a fact that counts available pods is too small. It is about the whole rollout if it
// counts the fewest, else about the time since a ReplicaSet was given a size last.
func shortOf(x evidence.Expectation, tl timeline.Timeline) []timeline.Unready {
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

func judgeNoted(x evidence.Expectation, tl timeline.Timeline) Finding {
	got, ok := tl.Fact(x.Fact)
	if !ok {
		return Finding{Because: fmt.Sprintf("%s was not found out", x.Fact)}
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("%s: %s", x.Fact, got)}
}

func judgeFactWithin(x evidence.Expectation, tl timeline.Timeline) Finding {
	text, ok := tl.Fact(x.Fact)
	if !ok {
		return Finding{Because: fmt.Sprintf("%s was not found out", x.Fact)}
	}
	got, err := time.ParseDuration(text)
	if err != nil {
		return Finding{Because: fmt.Sprintf("%s: %s is no duration", x.Fact, text)}
	}
	f := Finding{Outcome: Pass, Because: fmt.Sprintf("%s: %s, expected %s to %s", x.Fact, seconds(got), seconds(x.Min), seconds(x.Max))}
	if got < x.Min || got > x.Max {
		f.Outcome = Fail
	}
	if got > x.Max {
		noted, _ := tl.FactEvent(x.Fact)
		f = starved(f, tl, func(d timeline.Delay) bool { return noted.At-got <= d.At && d.At <= noted.At })
	}
	return f
}

func judgeScaling(x evidence.Expectation, tl timeline.Timeline) Finding {
	got, ok := tl.Scalings()
	switch {
	case !ok:
		return Finding{Because: missing(evidence.RolloutBegun)}
	case len(x.Values) == 0:
		return Finding{Because: "the rule names 0 sizes"}
	}
	sizes := make([]string, len(got))
	for i, s := range got {
		sizes[i] = fmt.Sprintf("%s:%d", s.Version, s.Size)
	}
	f := Finding{Outcome: Pass, Because: "ReplicaSets were given the sizes " + strings.Join(sizes, " ")}
	if len(sizes) < len(x.Values) || !slices.Equal(sizes[:len(x.Values)], x.Values) {
		f.Outcome, f.Because = Fail, f.Because+", expected "+strings.Join(x.Values, " ")+" first"
		if pods := unreadyBefore(got, sizes, x.Values, tl); len(pods) > 0 {
			return undeleted(f, pods)
		}
	}
	return f
}

// unreadyBefore names the pods that turned unready by themselves before the first size that was not expected: the steps to a
// size are as large as many pods are available.
func unreadyBefore(got []timeline.Scaling, sizes, expected []string, tl timeline.Timeline) []timeline.Unready {
	for i, at := range got {
		if i < len(expected) && sizes[i] != expected[i] {
			begun, _ := tl.Mark(evidence.RolloutBegun)
			return tl.UnreadyBetween(begun, at.At)
		}
	}
	return nil
}

func judgeMaxActive(x evidence.Expectation, tl timeline.Timeline) Finding {
	most, ok := tl.MaxActive()
	switch {
	case x.Count < 1:
		return Finding{Because: fmt.Sprintf("the rule takes at least 1 pod, got %d", x.Count)}
	case !ok:
		return Finding{Because: "0 ReplicaSets were seen"}
	}
	f := Finding{Outcome: Pass, Because: fmt.Sprintf("ReplicaSets never asked for more than %s, at most %d expected", count(most, "pod"), x.Count)}
	if most > x.Count {
		f.Outcome = Fail
	}
	return f
}
