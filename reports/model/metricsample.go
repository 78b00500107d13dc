package model

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/verdict"
)

// A Sample is how a metric is compared between runs: what one value of it is, each drawn by a chance of its own, and by how
// much it may be worse without mattering.
type Sample struct {
	Margin float64                      // in the metric's unit, of terminations their share; 0: it is never shown to be no worse
	Each   func(Scenario) []float64     // one value for each moment at which old pods left
	Count  func(Scenario) *Terminations // those that lost something, in place of values
	// without either it is the run's one value
}

// PerTermination says whether a run gives as many values as it has terminations.
func (s Sample) PerTermination() bool { return s.Each != nil || s.Count != nil }

// Margins, by the mechanism that gives each.
const (
	sync         = 1000     // ms: kube-proxy's minSyncPeriod, by default
	halfSync     = sync / 2 // a change waits as long on average
	syncAndProbe = 2 * sync // and the period of a readiness probe, as long
	resent       = 1000     // ms: a SYN is sent again after 1 s: one reply as late as that is one packet lost
	nodeStatus   = 10_000   // ms: a kubelet tells of its node every 10 s
	partOfAPod   = 0.5      // pods are whole: less than one is none
	podEnding    = 1        // one pod that still ends when the next begins
	fewest       = 0.05     // what 59 terminations without a loss show at 95 %
)

// lostWhereNoneMay counts the terminations of a scenario that allows no failure.
func lostWhereNoneMay(s Scenario) *Terminations {
	id := verdict.NoFailures().Rule
	if !slices.ContainsFunc(s.Rules, func(r Rule) bool { return r.ID == id }) {
		return nil
	}
	return s.Terminations
}

// perMoment is a value of a lag for each moment at which old pods left the endpoints, over its pods and nodes. Kube-proxies of
// all nodes are told of a change at once, and write those of a period together, so that pods and nodes of a moment are one chance.
// A scenario tells nothing of the cluster's lags for which it was changed, or in which rules routed to old pods for want of others.
func perMoment(lag func(PodLag) *float64, over func([]float64) float64) func(Scenario) []float64 {
	return func(s Scenario) []float64 {
		if n := s.Numbers.MinAvailable; n != nil && *n == 0 {
			return nil
		}
		return each(s, lag, over)
	}
}

// needed is the longest drain needed, for each moment: the time in which no pod was available is not in it.
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

// Values are what a scenario tells of a metric that is compared and is not counted, each drawn by a chance of its own.
func (m Metric) Values(s Scenario) []float64 {
	if m.Sample.Each != nil {
		return m.Sample.Each(s)
	}
	if v := m.Read(s); v != nil {
		return []float64{max(0, v.Value)}
	}
	return nil
}
