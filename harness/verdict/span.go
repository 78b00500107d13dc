package verdict

import (
	"fmt"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeBetween(x evidence.Expectation, tl timeline.Timeline) Finding {
	spans, lacking := tl.Spans(x.From, x.To, x.Min >= 0)
	switch {
	case len(lacking) > 0:
		return Finding{Outcome: Fail, Because: fmt.Sprintf("%s was seen of %s, and %s never", x.From, strings.Join(lacking, " and "), x.To)}
	case len(spans) == 0:
		return Finding{Because: fmt.Sprintf("%s was seen of 0 pods", x.From)}
	}
	shortest, longest := spans[0], spans[len(spans)-1]
	took := elapsed(shortest.Elapsed)
	if len(spans) > 1 {
		took += " to " + elapsed(longest.Elapsed)
	}
	f := Finding{Outcome: Pass, Because: fmt.Sprintf("%s came %s after %s of %s, expected %s to %s",
		x.To, took, x.From, count(len(spans), "pod"), seconds(x.Min), seconds(x.Max))}
	for _, s := range spans {
		if kept := inside(s.Elapsed, x.Min, x.Max); worse(kept, f.Outcome) {
			f.Outcome = kept
		}
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
