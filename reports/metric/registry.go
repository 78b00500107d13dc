package metric

import (
	"slices"

	"rollcall/reports/model"
)

// All lists the metrics, in the order in which they are reported.
//
// Their tolerances come from 45 pairs of runs of 13 scenarios under load at the normal pace, and 108 of 18 at the light one,
// and several hundred of some without load, on two machines with 2 cores: each of the same scenario, mode, Kubernetes minor
// and lanes, both passed, on a cluster that was not changed for it. An absolute tolerance is about one and a half times the
// most that such a pair was apart, unless the relative one covers it, which is about as much of the larger one as most pairs
// were apart. A mixed window ends with the slowest of keep-alive connections, and once was twice as long. An outage is as
// long as pods take to start, which once was twice as long. Lags are as much as kube-proxy takes to its next synchronization,
// which is at most one a second. Where no request failed in one run of a pair, none did in the other. Two cores run three
// nodes there, so that a quieter machine differs less: a history tells by how much.
func All() []Metric {
	return slices.Concat(ofRequests(), ofRollout(), ofMachine())
}

func ofRequests() []Metric {
	return []Metric{
		{Name: "load", Unit: Seconds, Title: "time under load", Help: "How long the scenario was under load.",
			Read: func(s model.Scenario) *Value { return float(s.LoadSeconds, nil) }},
		{Name: "requests", Unit: Requests, Title: "requests", Help: "Requests sent, on all lanes.",
			Read: sum(func(l model.Lane) *int { return &l.Requests })},
		{Name: "failed", Unit: Requests, Title: "requests that failed", Help: "Requests that failed, on all lanes.",
			Direction: LowerIsBetter, Tolerance: &Tolerance{Abs: 40, Rel: 0.6, ZeroIsExact: true},
			Read: sum(func(l model.Lane) *int { return new(l.Failed()) })},
		{Name: "retried", Unit: Requests, Title: "requests sent again", Help: "Requests that were sent more than once.",
			Direction: LowerIsBetter, Tolerance: &Tolerance{Abs: 35, Rel: 0.5},
			Read: sum(func(l model.Lane) *int { return &l.Retried })},
		{Name: "lost_replies", Unit: Requests, Title: "replies lost", Help: "Requests that a pod got and whose client never saw the reply.",
			Direction: LowerIsBetter, Tolerance: &Tolerance{Abs: 35, Rel: 0.5},
			Read: sum(func(l model.Lane) *int { return l.LostReplies })},
		{Name: "never_arrived", Unit: Requests, Title: "requests that never arrived", Help: "Requests that no pod got.",
			Direction: LowerIsBetter,
			Read:      sum(func(l model.Lane) *int { return l.NeverArrived })},
		{Name: "longest_outage", Unit: Milliseconds, Title: "longest outage", Help: "The longest time any lane went without a good reply.",
			Direction: LowerIsBetter, Tolerance: &Tolerance{Abs: 250, Rel: 0.6},
			Read: longestOutage},
	}
}

func ofRollout() []Metric {
	gap := func(s model.Scenario) (value, uncertainty *float64) {
		return s.Numbers.StatusGap, s.Numbers.StatusGapError
	}
	window := func(s model.Scenario) (value, uncertainty *float64) {
		return s.Numbers.MixedWindow, s.Numbers.MixedWindowError
	}
	drain := func(s model.Scenario) *model.Lags { return s.Numbers.DrainLag }
	rules := func(s model.Scenario) *model.Lags { return s.Numbers.RuleLag }
	drainHelp := "How long nodes sent a pod fresh connections after it had left the endpoints, over pods and nodes."
	rulesHelp := "How long the rules of nodes routed to a pod after it had left the endpoints, over pods and nodes."
	return slices.Concat(
		interval(Metric{Name: "status_gap", Unit: Milliseconds, Title: "status gap",
			Help:      "How long the old version still replied after rollout status said done.",
			Direction: LowerIsBetter, Tolerance: &Tolerance{Abs: 1000, Rel: 0.25}}, gap, "By how much the status gap may be wrong."),
		interval(Metric{Name: "mixed_window", Unit: Milliseconds, Title: "mixed window", Help: "How long both versions replied.",
			Direction: LowerIsBetter, Tolerance: &Tolerance{Abs: 4000, Rel: 0.6}}, window, "By how much the mixed window may be wrong."),
		[]Metric{
			{Name: "min_available", Unit: Pods, Title: "fewest pods available", Help: "The fewest pods that were ready together.",
				Direction: HigherIsBetter, Tolerance: &Tolerance{},
				Read: func(s model.Scenario) *Value { return count(s.Numbers.MinAvailable) }},
			{Name: "max_pods", Unit: Pods, Title: "most pods", Help: "The most pods there were together, terminating ones included.",
				Direction: LowerIsBetter, Tolerance: &Tolerance{Abs: 2, Rel: 0.2},
				Read: func(s model.Scenario) *Value { return count(s.Numbers.MaxPods) }},
		},
		lags("drain_lag", "drain lag", drainHelp, drain),
		lags("rule_lag", "rule lag", rulesHelp, rules),
		ofTerminations(),
		[]Metric{{Name: "needed_drain", Unit: Milliseconds, Title: "needed drain", Direction: LowerIsBetter, Read: neededDrain,
			Help: "How long a pod had to serve on after its endpoint left, for every node's rules to have left it out, without the time in which no endpoint was ready."},
			{Name: "needed_drain", Stat: "p95", Unit: Milliseconds, Title: "needed drain, for 95 % of terminations", Direction: LowerIsBetter,
				Read: func(s model.Scenario) *Value {
					if s.Numbers.NeededDrains == nil {
						return nil
					}
					return float(s.Numbers.NeededDrains.P95, nil)
				},
				Help: "A drain that covers 95 % of all terminations there could be, at 95 % confidence."}},
	)
}

func ofTerminations() []Metric {
	read := func(of func(model.Terminations) float64) func(model.Scenario) *Value {
		return func(s model.Scenario) *Value {
			if s.Terminations == nil {
				return nil
			}
			return &Value{Value: of(*s.Terminations)}
		}
	}
	return []Metric{
		{Name: "terminations", Unit: Terminations, Title: "terminations", Help: "Ends of old pods, each as the clients on one node see it.",
			Read: read(func(t model.Terminations) float64 { return float64(t.Count) })},
		{Name: "terminations_lost", Unit: Terminations, Title: "terminations that lost a request", Direction: LowerIsBetter,
			Help: "Ends of old pods that may have cost clients on a node a request.",
			Read: read(func(t model.Terminations) float64 { return float64(t.Lost) })},
		{Name: "terminations_upper", Unit: Percent, Title: "terminations that lose a request, at most", Direction: LowerIsBetter,
			Help: "The largest share of all terminations that may lose a request, at 95 % confidence.",
			Read: read(func(t model.Terminations) float64 { return t.Upper })},
	}
}

func ofMachine() []Metric {
	busyHelp := "Share of the processors in use, over the seconds of all nodes."
	return []Metric{
		{Name: "node_busy", Stat: "p50", Unit: Percent, Title: "nodes busy, median", Help: busyHelp, Tolerance: &Tolerance{Abs: 70},
			Read: busy(func(p model.Percent) float64 { return p.P50 })},
		{Name: "node_busy", Stat: "max", Unit: Percent, Title: "nodes busy, most", Help: busyHelp,
			Read: busy(func(p model.Percent) float64 { return p.Max })},
		{Name: "node_stolen", Unit: Percent, Title: "processors stolen, most",
			Help: "The most of a node's processors that other machines of its host had for a second.",
			Read: func(s model.Scenario) *Value { return float(s.Numbers.NodeStolen, nil) }},
		{Name: "conntrack", Unit: Percent, Title: "connection table, fullest", Help: "The most of a node's connection table that was in use.",
			Tolerance: &Tolerance{Abs: 15},
			Read:      func(s model.Scenario) *Value { return float(s.Numbers.Conntrack, nil) }},
		{Name: "clock_uncertainty", Unit: Milliseconds, Title: "clock uncertainty", Help: "By how much any time of the scenario may be wrong.",
			Read: func(s model.Scenario) *Value { return float(s.Numbers.ClockUncertainty, nil) }},
	}
}

// interval is a metric whose ends were read on two clocks, and beside it by how much it may be wrong.
func interval(m Metric, read func(model.Scenario) (value, uncertainty *float64), help string) []Metric {
	m.Read = func(s model.Scenario) *Value { return float(read(s)) }
	return []Metric{m, {Name: m.Name + "_uncertainty", Unit: m.Unit, Help: help, Read: func(s model.Scenario) *Value {
		_, uncertainty := read(s)
		return float(uncertainty, nil)
	}}}
}

// lags are the median and the longest of the lags of a run's pods and nodes.
func lags(name, title, help string, read func(model.Scenario) *model.Lags) []Metric {
	stat := func(stat, words string, of func(model.Lags) float64) Metric {
		return Metric{Name: name, Stat: stat, Unit: Milliseconds, Title: title + ", " + words, Help: help,
			Direction: LowerIsBetter, Tolerance: &Tolerance{Abs: 1500, Rel: 0.5},
			Read: func(s model.Scenario) *Value {
				l := read(s)
				if l == nil {
					return nil
				}
				return &Value{Value: of(*l), Uncertainty: l.Error, Within: l.Max - l.P50}
			}}
	}
	return []Metric{
		stat("p50", "median", func(l model.Lags) float64 { return l.P50 }),
		stat("max", "longest", func(l model.Lags) float64 { return l.Max }),
	}
}
