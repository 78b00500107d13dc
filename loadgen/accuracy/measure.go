package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// A sample is one window as it was and as it was measured.
type sample struct {
	trial    trial
	length   time.Duration // asked for; the row of the table
	injected time.Duration
	measured time.Duration // 0: missed
	late     time.Duration // from when a request near the window's ends was due until it was decided, at most
}

// An outcome is everything measured in a trial.
type outcome struct {
	trial      trial
	samples    []sample
	invented   []string // outages in which the injector failed no request, a sentence each
	miscounted []string // versions whose good replies differ between server and client
	requests   int
	rate       float64       // achieved, per second
	lag        time.Duration // 99th percentile of how late requests were sent
}

// measure joins what the lane recorded as every run is joined, and holds it against the windows. It reads no clock.
func (r recording) measure() (outcome, error) {
	joined, err := r.join("", "")
	if err != nil {
		return outcome{}, err
	}
	seen := joined.Lanes[0].Summary
	o := outcome{trial: r.trial, requests: seen.Requests, rate: seen.Rate, lag: seen.Lag.P99, miscounted: miscounted(r.given, seen.ByVersion)}
	longest, invented := r.assign(seen.Outages)
	for _, outage := range invented {
		o.invented = append(o.invented, r.explain(outage))
	}
	for n, w := range r.windows {
		s := sample{trial: r.trial, length: r.trial.lengths[n], injected: w.length(), measured: longest[n], late: r.late(w)}
		if r.trial.kind == mixed {
			if s.measured, err = r.mixedWindow(n); err != nil {
				return outcome{}, err
			}
		}
		o.samples = append(o.samples, s)
	}
	return o, nil
}

func (r recording) join(before, after string) (timeline.Timeline, error) {
	joined, err := timeline.Join(evidence.Evidence{
		Run:    evidence.Run{Scenario: "accuracy", OldVersion: before, NewVersion: after, Lanes: []evidence.Lane{r.trial.lane()}},
		Hits:   evidence.Hits(r.hits),
		Events: []evidence.Event{{Kind: evidence.LoadEnded, At: r.ended()}},
	})
	if err != nil {
		return joined, fmt.Errorf("accuracy: measure %s trial: %w", r.trial.kind, err)
	}
	return joined, nil
}

func (r recording) ended() time.Duration {
	var ended time.Duration
	for _, h := range r.hits {
		ended = max(ended, h.End())
	}
	return ended
}

// mixedWindow is how long the nth version and its successor were both seen.
func (r recording) mixedWindow(n int) (time.Duration, error) {
	joined, err := r.join(versionName(n), versionName(n+1))
	if err != nil {
		return 0, err
	}
	w, _ := joined.MixedWindow("")
	return w.Length(), nil
}

// assign gives each window the longest outage that it caused, and returns the outages that none did. A window
// caused an outage when it failed one of its requests.
func (r recording) assign(outages []timeline.Outage) (longest []time.Duration, invented []timeline.Outage) {
	longest = make([]time.Duration, len(r.windows))
	for _, o := range outages {
		caused := false
		for n, w := range r.windows {
			if r.failed(o, w) {
				longest[n] = max(longest[n], o.Length())
				caused = true
			}
		}
		if !caused {
			invented = append(invented, o)
		}
	}
	return longest, invented
}

// explain tells an outage by its first request.
func (r recording) explain(o timeline.Outage) string {
	for _, h := range r.hits {
		if h.Failed() && h.Sent == o.From {
			how := "which never got to the server"
			if at, known := r.decided[h.Seq]; known {
				how = fmt.Sprintf("which the server decided on after %s", at-h.Sent)
			}
			return fmt.Sprintf("%s with %d requests, from %s; the first, due %s earlier, was %s after %s, %s",
				o.Length(), o.Failed, o.From, h.Sent-h.Due, h.Fault, h.Took, how)
		}
	}
	return fmt.Sprintf("%s without a request, from %s", o.Length(), o.From)
}

// failed reports whether a request of an outage was on its way in a window.
func (r recording) failed(o timeline.Outage, w interval) bool {
	return slices.ContainsFunc(r.hits, func(h evidence.Hit) bool {
		return h.Failed() && h.Sent >= o.From && h.Sent < o.To && h.Sent < w.end && r.settled(h) >= w.begin-w.doubt
	})
}

// late is how long a request took from when it was due until it was settled, at most, of those on their way
// within an interval of an end of the window. It is what machine and generator add to the error.
func (r recording) late(w interval) time.Duration {
	late := w.doubt
	for _, h := range r.hits {
		for _, at := range []time.Duration{w.begin, w.end} {
			if h.Due <= at+r.trial.interval() && r.settled(h) >= at-r.trial.interval() {
				late = max(late, r.settled(h)-h.Due)
			}
		}
	}
	return late
}

// settled is when the injector decided that a request fails, or else when the client had its reply or its refusal.
func (r recording) settled(h evidence.Hit) time.Duration {
	if at, known := r.decided[h.Seq]; known && h.Failed() {
		return at
	}
	return h.End()
}

func miscounted(given, seen map[string]int) []string {
	versions := maps.Clone(given)
	maps.Copy(versions, seen)
	var found []string
	for _, v := range slices.Sorted(maps.Keys(versions)) {
		if given[v] != seen[v] {
			found = append(found, fmt.Sprintf("%s replied %d times and was recorded %d times", v, given[v], seen[v]))
		}
	}
	return found
}
