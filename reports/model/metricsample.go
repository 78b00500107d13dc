package model

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/verdict"
)

// A Sample says how a metric is compared between runs: which independent values a run has of it, and by how much it may be worse without
// mattering.
type Sample struct {
	Margin float64                      // in the metric's unit, for terminations their share; 0: it is never shown to be no worse
	Each   func(Scenario) []float64     // one value for each moment at which old pods left
	Count  func(Scenario) *Terminations // the terminations that lost something, in place of values
	// without either the run has one value
}

// PerTermination reports whether the values of a run, or its counts, come from its terminations.
func (s Sample) PerTermination() bool { return s.Each != nil || s.Count != nil }

// Margins, each with the mechanism behind it.
const (
	sync         = 1000     // ms: kube-proxy's minSyncPeriod, by default
	halfSync     = sync / 2 // what a change waits on average
	syncAndProbe = 2 * sync // and the period of a readiness probe, 1 s too
	resent       = 1000     // ms: a SYN is sent again after 1 s: one lost packet makes one reply as late as that
	nodeStatus   = 10_000   // ms: a kubelet reports the status of its node every 10 s
	partOfAPod   = 0.5      // pods are whole: less than one is none
	podEnding    = 1        // one pod that still ends when the next starts
	fewest       = 0.05     // what 59 terminations without a loss show at 95 %
)

// lostWhereNoneMay returns the terminations of a scenario that allows no failure; nil for any other.
func lostWhereNoneMay(s Scenario) *Terminations {
	id := verdict.NoFailures().Rule
	if !slices.ContainsFunc(s.Rules, func(r Rule) bool { return r.ID == id }) {
		return nil
	}
	if s.Terminations == nil {
		return nil
	}
	n, lost := s.Terminations.Samples()
	return &Terminations{Count: n, Lost: lost}
}

// perMoment returns a function with a value of a lag for each moment at which old pods left the endpoints, over the pods and nodes of that
// moment. The kube-proxies of all nodes are told of a change at once, and write the changes of one period together, so a moment is one
// independent value. A scenario has none if the cluster was changed for it, or if rules routed to old pods because there were no others.
func perMoment(lag func(PodLag) *float64, over func([]float64) float64) func(Scenario) []float64 {
	return func(s Scenario) []float64 {
		if n := s.Numbers.MinAvailable; n != nil && *n == 0 {
			return nil
		}
		return each(s, lag, over)
	}
}

// needed returns the longest needed drain of each moment. It does not have to skip times in which no pod was available: a needed drain
// leaves them out.
func needed(s Scenario) []float64 {
	return each(s, func(l PodLag) *float64 { return l.NeededDrain }, slices.Max[[]float64])
}

func each(s Scenario, lag func(PodLag) *float64, over func([]float64) float64) (values []float64) {
	if len(s.ClusterChanges) > 0 {
		return nil
	}
	lags := slices.SortedStableFunc(slices.Values(s.Lags), func(a, b PodLag) int { return cmp.Compare(a.Left, b.Left) })
	var moment []float64
	began := 0.0
	for _, l := range lags {
		x := lag(l)
		if x == nil {
			continue
		}
		if len(moment) > 0 && l.Left-began >= sync {
			values, moment = append(values, over(moment)), nil
		}
		if len(moment) == 0 {
			began = l.Left
		}
		moment = append(moment, *x)
	}
	if len(moment) > 0 {
		values = append(values, over(moment))
	}
	return values
}

// Values returns a scenario's independent values of a metric that is compared and not counted.
func (m Metric) Values(s Scenario) []float64 {
	if m.Sample.Each != nil {
		return m.Sample.Each(s)
	}
	if v := m.Read(s); v != nil {
		return []float64{max(0, v.Value)}
	}
	return nil
}
