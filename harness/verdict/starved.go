package verdict

import (
	"fmt"
	"slices"

	"rollcall/harness/timeline"
)

// undeleted makes a failure inconclusive that is due to pods which turned unready without a deletion: that is the app's doing
// or the host's. A limit of how many pods are there, or are asked for, counts those that are unready too, and has no such excuse.
func undeleted(f Finding, pods []timeline.Unready) Finding {
	p := pods[0]
	f.Because += fmt.Sprintf(", but only because %s, which nobody had deleted, was not ready from %s on", p.Pod, seconds(p.From))
	if p.Back {
		f.Because += " for " + seconds(p.Length())
	}
	if p.Report.Kind != "" {
		f.Because += fmt.Sprintf(" (at %s: %s)", seconds(p.Report.At), p.Report.Detail)
	}
	if more := len(pods) - 1; more > 0 {
		f.Because += fmt.Sprintf("; and %d more like that", more)
	}
	f.Outcome, f.Starved = Inconclusive, slices.ContainsFunc(pods, timeline.Unready.TimedOut)
	return f
}

// starved makes a failure inconclusive that is about something late, if one of the signs counts that a kubelet was too.
func starved(f Finding, tl timeline.Timeline, counts func(timeline.Delay) bool) Finding {
	delays := tl.Delays()
	i := slices.IndexFunc(delays, counts)
	if i < 0 {
		return f
	}
	d := delays[i]
	did := fmt.Sprintf("its probe of %s timed out at %s", d.Pod, seconds(d.At))
	if d.Late > 0 {
		did = fmt.Sprintf("it began to stop %s %s after its deletion, at %s", d.Pod, seconds(d.Late), seconds(d.At))
	}
	of := "a kubelet"
	if d.Node != "" {
		of = "the kubelet of " + d.Node
	}
	f.Because += fmt.Sprintf(", but %s was starved: %s", of, did)
	f.Outcome, f.Starved = Inconclusive, true
	return f
}
