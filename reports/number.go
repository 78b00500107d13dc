package reports

import "strconv"

// A number is one thing that was measured of a scenario.
type number struct {
	name  string // the one it has in report.json, less its unit
	stat  string // p50 or max; empty for a number that stands alone
	unit  string // ms, seconds or percent; empty for a count
	value float64
	help  string
}

// Units of numbers.
const (
	milliseconds = "ms"
	wholeSeconds = "seconds"
	percent      = "percent"
)

// numbersOf lists what was measured of a scenario, over all its lanes. What was not measured is left out.
func numbersOf(s Scenario) []number {
	var all []number
	add := func(name, stat, unit string, value *float64, help string) {
		if value != nil {
			all = append(all, number{name, stat, unit, *value, help})
		}
	}
	count := func(name string, value *int, help string) {
		if value != nil {
			add(name, "", "", new(float64(*value)), help)
		}
	}
	lags := func(name string, of *Lags, help string) {
		if of != nil {
			add(name, "p50", milliseconds, &of.P50, help)
			add(name, "max", milliseconds, &of.Max, help)
		}
	}
	n := s.Numbers
	add("load", "", wholeSeconds, s.LoadSeconds, "How long the scenario was under load.")
	sum := sumOf(s.Lanes)
	count("requests", sum.requests, "Requests sent, on all lanes.")
	count("failed", sum.failed, "Requests that failed, on all lanes.")
	count("retried", sum.retried, "Requests that were sent more than once.")
	count("lost_replies", sum.lost, "Requests that a pod got and whose client never saw the reply.")
	count("never_arrived", sum.never, "Requests that no pod got.")
	add("longest_outage", "", milliseconds, sum.outage, "The longest time any lane went without a good reply.")
	add("status_gap", "", milliseconds, n.StatusGap, "How long the old version still replied after rollout status said done.")
	add("status_gap_uncertainty", "", milliseconds, n.StatusGapError, "By how much the status gap may be wrong.")
	add("mixed_window", "", milliseconds, n.MixedWindow, "How long both versions replied.")
	add("mixed_window_uncertainty", "", milliseconds, n.MixedWindowError, "By how much the mixed window may be wrong.")
	count("min_available", n.MinAvailable, "The fewest pods that were ready together.")
	count("max_pods", n.MaxPods, "The most pods there were together, terminating ones included.")
	lags("drain_lag", n.DrainLag, "How long nodes sent a pod fresh connections after it had left the endpoints, over pods and nodes.")
	lags("rule_lag", n.RuleLag, "How long the rules of nodes led to a pod after it had left the endpoints, over pods and nodes.")
	if busy := n.NodeBusy; busy != nil {
		add("node_busy", "p50", percent, &busy.P50, "Share of the processors in use, over the seconds of all nodes.")
		add("node_busy", "max", percent, &busy.Max, "Share of the processors in use, over the seconds of all nodes.")
	}
	add("conntrack", "", percent, n.Conntrack, "The most of a node's connection table that was in use.")
	add("clock_uncertainty", "", milliseconds, n.ClockUncertainty, "By how much any time of the scenario may be wrong.")
	return all
}

// key is the number's name where its unit has to be in it.
func (n number) key() string {
	key := n.name
	for _, part := range []string{n.stat, n.unit} {
		if part != "" {
			key += "_" + part
		}
	}
	return key
}

// text is the value with no more digits than it has.
func (n number) text() string { return strconv.FormatFloat(n.value, 'f', -1, 64) }

// sums are over lanes; nil is not known.
type sums struct {
	requests, failed, retried, lost, never *int
	outage                                 *float64 // milliseconds
}

func sumOf(lanes []Lane) sums {
	var s sums
	add := func(sum **int, n int) {
		if *sum == nil {
			*sum = new(0)
		}
		**sum += n
	}
	for _, lane := range lanes {
		add(&s.requests, lane.Requests)
		add(&s.failed, lane.Failed())
		add(&s.retried, lane.Retried)
		if lane.LostReplies != nil {
			add(&s.lost, *lane.LostReplies)
		}
		if lane.NeverArrived != nil {
			add(&s.never, *lane.NeverArrived)
		}
		s.outage = new(max(value(s.outage), lane.LongestOutage))
	}
	return s
}
