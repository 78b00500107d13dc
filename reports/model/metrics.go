package model

import (
	"slices"
)

// Metrics lists the metrics, in the order in which they are reported.
func Metrics() []Metric {
	return slices.Concat(ofRequests(), ofRollout(), ofDisruption(), ofMachine())
}

func ofRequests() []Metric {
	return slices.Concat([]Metric{
		{Name: "load", Unit: InSeconds, Title: "time under load", Help: "How long the scenario was under load.",
			Read: func(s Scenario) *Value { return measured(s.LoadSeconds) }},
		{Name: "requests", Unit: InRequests, Title: "requests", Help: "Requests sent, on all lanes.",
			Read: sum(func(l Lane) *int { return &l.Requests })},
		{Name: "failed", Unit: InRequests, Title: "requests that failed", Help: "Requests that failed, on all lanes.",
			Direction: LowerIsBetter, Sample: &Sample{},
			Read: sum(func(l Lane) *int { return new(l.Failed()) })},
		{Name: "retried", Series: "requests_retried", Unit: InRequests, Title: "requests sent again",
			Help:      "Requests that were sent more than once.",
			Direction: LowerIsBetter, Sample: &Sample{},
			Read: sum(func(l Lane) *int { return &l.Retried })},
		{Name: "lost_replies", Series: "replies_lost", Unit: InRequests, Title: "replies lost",
			Help:      "Requests that a pod got and whose client never saw the reply.",
			Direction: LowerIsBetter, Sample: &Sample{},
			Read: sum(func(l Lane) *int { return l.LostReplies })},
		{Name: "never_arrived", Series: "requests_never_arrived", Unit: InRequests, Title: "requests that never arrived",
			Help:      "Requests that no pod got.",
			Direction: LowerIsBetter,
			Read:      sum(func(l Lane) *int { return l.NeverArrived })},
		{Name: "longest_outage", Unit: InMilliseconds, Title: "longest outage",
			Help:      "The longest time from a failed request to the next good one of its lane, by when they were sent.",
			Direction: LowerIsBetter, Sample: &Sample{Margin: sync},
			Read: longestOutage},
	}, latencies())
}

// latencies returns the metrics of latency, each of the lane through the Service on which it was longest: percentiles of several lanes do
// not add up.
func latencies() []Metric {
	stat := func(stat, words string, of func(Latency) float64, margin float64) Metric {
		return Metric{Name: "latency", Stat: stat, Unit: InMilliseconds, Title: "latency, " + words, Direction: LowerIsBetter,
			Sample: &Sample{Margin: margin},
			Help:   "How long good replies took from when their requests were sent, on the lane on which they took longest.",
			Read:   latency(of)}
	}
	return []Metric{
		stat("p50", "median", func(l Latency) float64 { return l.P50 }, 0),
		stat("p99", "99 %", func(l Latency) float64 { return l.P99 }, 0),
		stat("p999", "99.9 %", func(l Latency) float64 { return l.P999 }, 0),
		stat("max", "longest", func(l Latency) float64 { return l.Max }, resent),
	}
}

func ofRollout() []Metric {
	drain := func(s Scenario) *Lags { return s.Numbers.DrainLag }
	rules := func(s Scenario) *Lags { return s.Numbers.RuleLag }
	drainHelp := "How long nodes sent a pod fresh connections after it had left the endpoints, over pods and nodes."
	rulesHelp := "How long the rules of nodes routed to a pod after it had left the endpoints, over pods and nodes."
	return slices.Concat(
		[]Metric{
			{Name: "status_gap", Unit: InMilliseconds, Title: "status gap",
				Help:      "How long the old version still replied after rollout status said done.",
				Direction: LowerIsBetter, Sample: &Sample{Margin: sync},
				Read: func(s Scenario) *Value { return uncertain(s.Numbers.StatusGap, s.Numbers.StatusGapError) }},
			{Name: "status_gap_uncertainty", Unit: InMilliseconds, Help: "By how much the status gap may be wrong.",
				Read: func(s Scenario) *Value { return measured(s.Numbers.StatusGapError) }},
			{Name: "mixed_window", Unit: InMilliseconds, Title: "mixed window", Help: "How long both versions replied.",
				Direction: LowerIsBetter, Sample: &Sample{Margin: syncAndProbe},
				Read: func(s Scenario) *Value { return uncertain(s.Numbers.MixedWindow, s.Numbers.MixedWindowError) }},
			{Name: "mixed_window_uncertainty", Unit: InMilliseconds, Help: "By how much the mixed window may be wrong.",
				Read: func(s Scenario) *Value { return measured(s.Numbers.MixedWindowError) }},
			{Name: "min_available", Series: "pods_available_min", Unit: InPods, Title: "fewest pods available",
				Help:      "The fewest pods that were ready together.",
				Direction: HigherIsBetter, Sample: &Sample{Margin: partOfAPod},
				Read: func(s Scenario) *Value { return measured(s.Numbers.MinAvailable) }},
			{Name: "max_pods", Series: "pods_max", Unit: InPods, Title: "most pods",
				Help:      "The most pods there were together, terminating ones included.",
				Direction: LowerIsBetter, Sample: &Sample{Margin: podEnding},
				Read: func(s Scenario) *Value { return measured(s.Numbers.MaxPods) }},
		},
		lags("drain_lag", "drain lag", drainHelp, drain, func(l PodLag) *float64 { return l.DrainLag }),
		lags("rule_lag", "rule lag", rulesHelp, rules, func(l PodLag) *float64 { return l.RuleLag }),
		ofTerminations(),
		[]Metric{{Name: "needed_drain", Series: "needed_prestop_sleep", Unit: InMilliseconds, Title: "needed preStop sleep",
			Direction: LowerIsBetter, Read: neededDrain,
			Sample: &Sample{Margin: halfSync, Each: needed},
			Help:   "How long a pod has to wait before SIGTERM until no node sends it requests, without the time in which no endpoint was ready."},
			{Name: "needed_drain_p95", Series: "needed_prestop_sleep_p95", Unit: InMilliseconds,
				Title:     "needed preStop sleep, for 95 % of terminations",
				Direction: LowerIsBetter,
				Read: func(s Scenario) *Value {
					if s.Numbers.NeededDrains == nil {
						return nil
					}
					return measured(s.Numbers.NeededDrains.P95)
				},
				Help: "A preStop sleep that covers 95 % of all terminations there could be, at 95 % confidence."}},
	)
}

func ofTerminations() []Metric {
	ends := func(s Scenario) *Terminations { return s.Terminations }
	return []Metric{
		{Name: "terminations", Unit: InTerminations, Title: "terminations",
			Help: "Terminations of old pods, each counted once for every node with clients.",
			Read: part(ends, func(t Terminations) float64 { return float64(t.Count) })},
		{Name: "terminations_lost", Unit: InTerminations, Title: "terminations that lost a request", Direction: LowerIsBetter,
			Help:   "Of these, those in which clients on the node lost a request.",
			Sample: &Sample{Margin: fewest, Count: lostWhereNoneMay},
			Read:   part(ends, func(t Terminations) float64 { return float64(t.Lost) })},
		{Name: "terminations_upper", Unit: InPercent, Title: "terminations that lose a request, at most", Direction: LowerIsBetter,
			Help: "The largest share of all terminations that may lose a request, at 95 % confidence.",
			Read: part(ends, func(t Terminations) float64 { return t.Upper })},
	}
}

func ofDisruption() []Metric {
	return []Metric{{Name: "whole", Unit: InMilliseconds, Title: "time until whole", Direction: LowerIsBetter,
		Help:   "How long after a disruption was undone the cluster was again what it was before.",
		Sample: &Sample{Margin: nodeStatus},
		Read:   func(s Scenario) *Value { return measured(s.Numbers.Whole) }}}
}

func ofMachine() []Metric {
	busy := func(s Scenario) *Percent { return s.Numbers.NodeBusy }
	busyHelp := "Share of the processors in use in the busiest second of each 10 s, over all nodes."
	return []Metric{
		{Name: "node_busy", Stat: "p50", Unit: InPercent, Title: "nodes busy, median", Help: busyHelp, Sample: &Sample{},
			Read: part(busy, func(p Percent) float64 { return p.P50 })},
		{Name: "node_busy", Stat: "max", Unit: InPercent, Title: "nodes busy, most", Help: busyHelp,
			Read: part(busy, func(p Percent) float64 { return p.Max })},
		{Name: "node_stolen", Unit: InPercent, Title: "processors stolen, most",
			Help: "The most of a node's processors that other machines of its host had for a second.",
			Read: func(s Scenario) *Value { return measured(s.Numbers.NodeStolen) }},
		{Name: "conntrack", Unit: InPercent, Title: "connection table, fullest", Help: "The most of a node's connection table that was in use.",
			Sample: &Sample{},
			Read:   func(s Scenario) *Value { return measured(s.Numbers.Conntrack) }},
		{Name: "clock_uncertainty", Unit: InMilliseconds, Title: "clock uncertainty", Help: "By how much any time of the scenario may be wrong.",
			Read: func(s Scenario) *Value { return measured(s.Numbers.ClockUncertainty) }},
	}
}

// lags returns the metrics of the median and of the longest lag over a run's pods and nodes.
func lags(name, title, help string, read func(Scenario) *Lags, each func(PodLag) *float64) []Metric {
	stat := func(stat, words string, of func(Lags) float64, nodes func([]float64) float64) Metric {
		return Metric{Name: name, Stat: stat, Unit: InMilliseconds, Title: title + ", " + words, Help: help, Direction: LowerIsBetter,
			Sample: &Sample{Margin: halfSync, Each: perMoment(each, nodes)},
			Read: func(s Scenario) *Value {
				l := read(s)
				if l == nil {
					return nil
				}
				return &Value{Value: of(*l), Uncertainty: l.Error}
			}}
	}
	return []Metric{
		stat("p50", "median", func(l Lags) float64 { return l.P50 }, Median),
		stat("max", "longest", func(l Lags) float64 { return l.Max }, slices.Max[[]float64]),
	}
}
