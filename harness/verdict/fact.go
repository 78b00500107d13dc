package verdict

import (
	"fmt"
	"slices"
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
	default:
		return Finding{Outcome: Fail, Because: fmt.Sprintf("%s: %s, expected %s", x.Fact, got, strings.Join(x.Values, " or "))}
	}
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
	}
	return f
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
