package verdict

import (
	"fmt"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// Between expects that each pod's first event of one kind comes from min to max after its first of another, where a
// negative time is one before it. With a min of 0 or more, what came before the one is no matter: a pod that has just got
// ready may show as not ready once more. It is about the pods that have the event from, which may be any kind about a
// pod; an endpoint that goes at once has left ready too. See inTime for a kubelet that was starved.
func Between(from, to evidence.EventKind, min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: between().ID, From: from, To: to, Min: min, Max: max}
}

func between() Rule {
	return Rule{
		ID: "between", Claim: "pods take as long as expected from one step of their end to another",
		judge: judgeBetween,
		Unit:  "pod", Untested: "no pod was seen to take both steps",
		exposed: podsBetween,
		needs:   seeing(),
	}
}

func judgeBetween(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	intervals, lacking := tl.Intervals(x.From, x.To, x.Min >= 0)
	switch {
	case len(lacking) > 0:
		return Finding{
			Outcome:  Fail,
			Headline: fmt.Sprintf("%s never came after %s of %s", x.To, x.From, phrase.Count(len(lacking), "pod")),
			Facts:    []Detail{{"pods", strings.Join(lacking, ", ")}},
			Because:  fmt.Sprintf("%s was seen of %s, and %s never", x.From, strings.Join(lacking, " and "), x.To),
		}
	case len(intervals) == 0:
		return undecided(fmt.Sprintf("%s was seen of 0 pods", x.From))
	}
	shortest, longest := intervals[0], intervals[len(intervals)-1]
	took, about := phrase.Elapsed(shortest.Elapsed), phrase.Duration(shortest.Length)
	if len(intervals) > 1 {
		took += " to " + phrase.Elapsed(longest.Elapsed)
		if most := phrase.Duration(longest.Length); most != about {
			about += " to " + most
		}
	}
	template := Finding{
		Headline: fmt.Sprintf("%s came %s after %s, expected %s to %s", x.To, about, x.From, phrase.Duration(x.Min), phrase.Duration(x.Max)),
		Facts:    []Detail{{"pods", fmt.Sprint(len(intervals))}, {"least of", shortest.Pod}, {"most of", longest.Pod}},
		Because: fmt.Sprintf("%s came %s after %s of %s, expected %s to %s",
			x.To, took, x.From, phrase.Count(len(intervals), "pod"), phrase.Seconds(x.Min), phrase.Seconds(x.Max)),
	}
	f := template
	f.Outcome = Pass
	var breaches []Breach
	for _, i := range intervals {
		one := inTime(i, x, template, tl)
		breaches = append(breaches, one.Breaches...)
		if worse(one.Outcome, f.Outcome) || one.Outcome == f.Outcome && f.Because == template.Because {
			f = one
		}
	}
	f.Breaches = breaches
	return orUncertain(f)
}

// kubeletBegins is how long a kubelet with nothing to wait for takes at most to begin with a deletion: until the relist under way
// has ended, and one more for its pod worker (Kubernetes v1.37.2, pkg/kubelet/kubelet.go, genericPlegRelistPeriod).
const kubeletBegins = 2 * time.Second

// inTime judges one interval. One that is too long for what a kubelet did by itself is measured again from when that began.
func inTime(i timeline.PodInterval, x evidence.Expectation, f Finding, tl timeline.Timeline) Finding {
	f.Outcome = inside(i.Elapsed, x.Min, x.Max)
	if f.Outcome != Fail {
		return f
	}
	in := timeline.Window{From: min(i.Began.At, i.Ended.At), To: max(i.Began.At, i.Ended.At)}
	by := i.Length - x.Max
	if by <= 0 { // too short
		if x.From != evidence.PodReady && x.From != evidence.PodUnready {
			return f
		}
		by = x.Min - i.Length // as a word of readiness came late
		in.From -= by
	}
	f.Breaches = late(in, by, append(append(timeline.ControlPlane(), timeline.OnNode(i.Node)...), timeline.Actor{Pod: i.Pod},
		timeline.Actor{Pod: i.Pod, Program: timeline.Kubelet})...)
	own, ok := tl.Stopping(i)
	if i.Length > x.Max && ok && i.Length-own.Length <= kubeletBegins && within(own, x.Max) == Pass {
		f.Outcome, f.Breaches = Pass, nil
		f.Because += fmt.Sprintf("; the kubelet began to stop %s %s before %s", i.Pod, phrase.Elapsed(own), x.To)
	}
	return f
}
