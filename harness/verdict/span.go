package verdict

import (
	"fmt"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeBetween(x evidence.Expectation, tl timeline.Timeline) Finding {
	intervals, lacking := tl.Intervals(x.From, x.To, x.Min >= 0)
	switch {
	case len(lacking) > 0:
		return Finding{Outcome: Fail, Because: fmt.Sprintf("%s was seen of %s, and %s never", x.From, strings.Join(lacking, " and "), x.To)}
	case len(intervals) == 0:
		return Finding{Because: fmt.Sprintf("%s was seen of 0 pods", x.From)}
	}
	shortest, longest := intervals[0], intervals[len(intervals)-1]
	took := elapsed(shortest.Elapsed)
	if len(intervals) > 1 {
		took += " to " + elapsed(longest.Elapsed)
	}
	f := Finding{Outcome: Pass, Because: fmt.Sprintf("%s came %s after %s of %s, expected %s to %s",
		x.To, took, x.From, count(len(intervals), "pod"), seconds(x.Min), seconds(x.Max))}
	said := f.Because
	for _, s := range intervals {
		one := inTime(s, x, Finding{Because: said}, tl)
		if worse(one.Outcome, f.Outcome) || one.Outcome == f.Outcome && f.Because == said {
			f = one
		}
	}
	return f
}

// inTime judges one span. One that is too long for what a kubelet did by itself is measured again from when that began, and says
// nothing if the kubelet was starved; nor does one that is too short because a word of readiness came late.
func inTime(s timeline.PodInterval, x evidence.Expectation, f Finding, tl timeline.Timeline) Finding {
	f.Outcome = inside(s.Elapsed, x.Min, x.Max)
	if f.Outcome != Fail {
		return f
	}
	late := s.Length > x.Max
	if !late && x.From != evidence.PodReady && x.From != evidence.PodUnready {
		return f
	}
	first, last := min(s.Began.At, s.Ended.At), max(s.Began.At, s.Ended.At)
	f = starved(f, tl, func(d timeline.Delay) bool {
		own := d.Pod == s.Pod && d.Late > 0
		return d.At <= last && (own || d.Node == s.Node && d.Node != "" && d.At >= first)
	})
	own, ok := tl.Stopping(s)
	if f.Outcome == Fail && late && ok && within(own, x.Max) == Pass {
		f.Outcome = Pass
		f.Because += fmt.Sprintf("; the kubelet began to stop %s %s before %s", s.Pod, elapsed(own), x.To)
	}
	return f
}

// inside is whether a duration keeps both bounds; inconclusive when the clocks cannot tell.
func inside(d timeline.Elapsed, min, max time.Duration) Outcome {
	short := within(timeline.Elapsed{Length: -d.Length, Uncertainty: d.Uncertainty}, -min)
	if long := within(d, max); worse(long, short) {
		return long
	}
	return short
}
