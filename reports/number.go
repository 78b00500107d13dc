package reports

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Number is one thing that was measured of a scenario.
type Number struct {
	Name        string // the one it has in report.json, less its unit
	Stat        string // p50 or max; empty for a number that stands alone
	Unit        string // Milliseconds, Seconds or Percent; empty for a count
	Help        string
	Value       float64
	Uncertainty float64 // by how much the value may be wrong, as far as that is known
	Within      float64 // how far the things differ, of which it is one: the lags of a run's pods and nodes
}

// Units of numbers.
const (
	Milliseconds = "ms"
	Seconds      = "seconds"
	Percentage   = "percent"
)

// NumbersOf lists what was measured of a scenario, over all its lanes. What was not measured is left out.
func NumbersOf(s Scenario) []Number {
	var all []Number
	add := func(name, unit string, value, uncertainty *float64, help string) {
		if value != nil {
			all = append(all, Number{Name: name, Unit: unit, Help: help, Value: *value, Uncertainty: orZero(uncertainty)})
		}
	}
	count := func(name string, value *int, help string) {
		if value != nil {
			add(name, "", new(float64(*value)), nil, help)
		}
	}
	spread := func(of Number, p50, most float64) {
		of.Stat, of.Value = "p50", p50
		all = append(all, of)
		of.Stat, of.Value = "max", most
		all = append(all, of)
	}
	lags := func(name string, of *Lags, help string) {
		if of != nil {
			spread(Number{Name: name, Unit: Milliseconds, Help: help, Uncertainty: of.Error, Within: of.Max - of.P50}, of.P50, of.Max)
		}
	}
	n := s.Numbers
	add("load", Seconds, s.LoadSeconds, nil, "How long the scenario was under load.")
	sum := sumOf(s.Lanes)
	count("requests", sum.requests, "Requests sent, on all lanes.")
	count("failed", sum.failed, "Requests that failed, on all lanes.")
	count("retried", sum.retried, "Requests that were sent more than once.")
	count("lost_replies", sum.lost, "Requests that a pod got and whose client never saw the reply.")
	count("never_arrived", sum.never, "Requests that no pod got.")
	add("longest_outage", Milliseconds, sum.outage, &sum.periods, "The longest time any lane went without a good reply.")
	add("status_gap", Milliseconds, n.StatusGap, n.StatusGapError, "How long the old version still replied after rollout status said done.")
	add("status_gap_uncertainty", Milliseconds, n.StatusGapError, nil, "By how much the status gap may be wrong.")
	add("mixed_window", Milliseconds, n.MixedWindow, n.MixedWindowError, "How long both versions replied.")
	add("mixed_window_uncertainty", Milliseconds, n.MixedWindowError, nil, "By how much the mixed window may be wrong.")
	count("min_available", n.MinAvailable, "The fewest pods that were ready together.")
	count("max_pods", n.MaxPods, "The most pods there were together, terminating ones included.")
	lags("drain_lag", n.DrainLag, "How long nodes sent a pod fresh connections after it had left the endpoints, over pods and nodes.")
	lags("rule_lag", n.RuleLag, "How long the rules of nodes led to a pod after it had left the endpoints, over pods and nodes.")
	if len(n.NeededDrain) > 0 {
		add("needed_drain", Milliseconds, new(slices.Max(slices.Collect(maps.Values(n.NeededDrain)))), nil, "How long a pod had to serve on after its endpoint left, for every node's rules to have left it out, without the time in which no endpoint was ready.")
	}
	if busy := n.NodeBusy; busy != nil {
		spread(Number{Name: "node_busy", Unit: Percentage, Help: "Share of the processors in use, over the seconds of all nodes."}, busy.P50, busy.Max)
	}
	add("node_stolen", Percentage, n.NodeStolen, nil, "The most of a node's processors that other machines of its host had for a second.")
	add("conntrack", Percentage, n.Conntrack, nil, "The most of a node's connection table that was in use.")
	add("clock_uncertainty", Milliseconds, n.ClockUncertainty, nil, "By how much any time of the scenario may be wrong.")
	return all
}

// Key is the number's name where its unit has to be in it: rule_lag_p50_ms.
func (n Number) Key() string {
	parts := slices.DeleteFunc([]string{n.Name, n.Stat, n.Unit}, func(part string) bool { return part == "" })
	return strings.Join(parts, "_")
}

// text is the value with no more digits than it has.
func (n Number) text() string { return strconv.FormatFloat(n.Value, 'f', -1, 64) }

// sums are over lanes; nil is not known, of one of them at least.
type sums struct {
	requests, failed, retried, lost, never *int
	outage                                 *float64 // milliseconds
	periods                                float64  // the two send periods at an outage's ends, in milliseconds, of the slowest lane
}

func sumOf(lanes []Lane) sums {
	if len(lanes) == 0 {
		return sums{}
	}
	over := func(of func(Lane) *int) *int {
		sum := 0
		for _, lane := range lanes {
			n := of(lane)
			if n == nil {
				return nil
			}
			sum += *n
		}
		return &sum
	}
	s := sums{
		requests: over(func(l Lane) *int { return &l.Requests }),
		failed:   over(func(l Lane) *int { return new(l.Failed()) }),
		retried:  over(func(l Lane) *int { return &l.Retried }),
		lost:     over(func(l Lane) *int { return l.LostReplies }),
		never:    over(func(l Lane) *int { return l.NeverArrived }),
	}
	for _, lane := range lanes {
		s.outage = new(max(orZero(s.outage), lane.LongestOutage))
		if lane.AskedRate > 0 {
			s.periods = max(s.periods, 2*1000/float64(lane.AskedRate))
		}
	}
	return s
}

func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}
