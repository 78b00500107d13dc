package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// excuseUnready makes a failure inconclusive that is due to pods which turned unready without a deletion: that is the app's
// doing or the host's. A limit of how many pods are there, or are asked for, counts unready ones too, and has no such excuse.
func excuseUnready(f Finding, pods []timeline.Unready) Finding {
	p, brief := pods[0], cmp.Or(f.Headline, f.Because)
	f.Because += fmt.Sprintf(", but only because %s, which nobody had deleted, was not ready from %s on", p.Pod, phrase.Seconds(p.From))
	if p.Back {
		f.Because += " for " + phrase.Seconds(p.Length())
	}
	if p.Report.Kind != "" {
		f.Because += fmt.Sprintf(" (at %s: %s)", phrase.Seconds(p.Report.At), p.Report.Detail)
		f.Facts = append(f.Facts, Detail{"its probe", fmt.Sprintf("at %s: %s", phrase.Seconds(p.Report.At), p.Report.Detail)})
	}
	if more := len(pods) - 1; more > 0 {
		f.Because += fmt.Sprintf("; and %d more like that", more)
	}
	f.Headline = phrase.Headline(
		fmt.Sprintf("%s; but %s turned unready by itself", brief, p.Pod),
		brief+"; but a pod turned unready by itself",
		fmt.Sprintf("%s turned unready by itself: what was missing then says nothing", p.Pod))
	f.Facts = append(f.Facts, Detail{"pod", p.Pod}, Detail{"unready from", phrase.Seconds(p.From)})
	f.Outcome, f.Starved = Inconclusive, slices.ContainsFunc(pods, timeline.Unready.TimedOut)
	return f
}

// excuseStarved makes a failure inconclusive that is about something late, if one of the signs counts that a kubelet was too.
func excuseStarved(f Finding, tl timeline.Timeline, counts func(timeline.Delay) bool) Finding {
	delays := tl.Delays()
	i := slices.IndexFunc(delays, counts)
	if i < 0 {
		return f
	}
	d := delays[i]
	did := fmt.Sprintf("its probe of %s timed out at %s", d.Pod, phrase.Seconds(d.At))
	if d.Late > 0 {
		did = fmt.Sprintf("it began to stop %s %s after its deletion, at %s", d.Pod, phrase.Seconds(d.Late), phrase.Seconds(d.At))
	}
	of := "a kubelet"
	if d.Node != "" {
		of = "the kubelet of " + d.Node
	}
	brief := cmp.Or(f.Headline, f.Because)
	f.Headline = phrase.Headline(
		fmt.Sprintf("%s; but %s was starved", brief, of),
		brief+"; but a kubelet was starved",
		of+" was starved: what came late says nothing")
	f.Facts = append(f.Facts, Detail{of, did})
	f.Because += fmt.Sprintf(", but %s was starved: %s", of, did)
	f.Outcome, f.Starved = Inconclusive, true
	return f
}
