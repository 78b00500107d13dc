package numbers

import "rollcall/reports"

// All lists the numbers, in the order in which they are told.
//
// Their spreads come from 33 runs of 9 scenarios under load on one machine with 2 cores, 24 pairs of runs of the same
// scenario, mode, Kubernetes minor and lanes that both passed: a floor is about one and a half times the most that
// such a pair was apart, where the share does not cover it, and a share about as much as most were apart of the
// larger one. Two cores run three nodes there, so a quieter machine differs less.
func All() []Number {
	return []Number{
		{"failed", "requests that failed", Count, Lower, Spread{10, 0.5}, sum(func(l reports.Lane) *int { return new(l.Failed()) })},
		{"lost_replies", "replies lost", Count, Lower, Spread{25, 0.5}, sum(func(l reports.Lane) *int { return l.LostReplies })},
		{"retried", "requests sent again", Count, Lower, Spread{35, 0.5}, sum(func(l reports.Lane) *int { return &l.Retried })},
		{"longest_outage_ms", "longest outage", Milliseconds, Lower, Spread{150, 0.5}, outage},
		{"status_gap_ms", "status gap", Milliseconds, Lower, Spread{1250, 0.25}, func(s reports.Scenario) (Value, bool) {
			return measured(s.Numbers.StatusGap, s.Numbers.StatusGapError)
		}},
		{"mixed_window_ms", "mixed window", Milliseconds, Lower, Spread{3000, 0.6}, func(s reports.Scenario) (Value, bool) {
			return measured(s.Numbers.MixedWindow, s.Numbers.MixedWindowError)
		}},
		{"drain_lag_p50_ms", "drain lag, median", Milliseconds, Lower, Spread{750, 0.5}, func(s reports.Scenario) (Value, bool) {
			return lag(s.Numbers.DrainLag, func(l *reports.Lags) float64 { return l.P50 })
		}},
		{"drain_lag_max_ms", "drain lag, longest", Milliseconds, Lower, Spread{750, 0.5}, func(s reports.Scenario) (Value, bool) {
			return lag(s.Numbers.DrainLag, func(l *reports.Lags) float64 { return l.Max })
		}},
		{"rule_lag_p50_ms", "rule lag, median", Milliseconds, Lower, Spread{750, 0.5}, func(s reports.Scenario) (Value, bool) {
			return lag(s.Numbers.RuleLag, func(l *reports.Lags) float64 { return l.P50 })
		}},
		{"rule_lag_max_ms", "rule lag, longest", Milliseconds, Lower, Spread{750, 0.5}, func(s reports.Scenario) (Value, bool) {
			return lag(s.Numbers.RuleLag, func(l *reports.Lags) float64 { return l.Max })
		}},
		{"min_available", "fewest pods available", Count, Higher, Spread{0, 0}, func(s reports.Scenario) (Value, bool) { return count(s.Numbers.MinAvailable) }},
		{"max_pods", "most pods", Count, Lower, Spread{1, 0.2}, func(s reports.Scenario) (Value, bool) { return count(s.Numbers.MaxPods) }},
		{"node_busy_p50_percent", "nodes busy, median", Percent, Neither, Spread{70, 0}, func(s reports.Scenario) (Value, bool) {
			if s.Numbers.NodeBusy == nil {
				return Value{}, false
			}
			return measured(&s.Numbers.NodeBusy.P50, nil)
		}},
		{"conntrack_percent", "connection table, fullest", Percent, Neither, Spread{15, 0}, func(s reports.Scenario) (Value, bool) { return measured(s.Numbers.Conntrack, nil) }},
	}
}

// sum adds up lanes; it is absent where a lane does not know.
func sum(of func(reports.Lane) *int) func(reports.Scenario) (Value, bool) {
	return func(s reports.Scenario) (v Value, measured bool) {
		for _, lane := range s.Lanes {
			n := of(lane)
			if n == nil {
				return Value{}, false
			}
			v.Value += float64(*n)
		}
		return v, len(s.Lanes) > 0
	}
}

// outage is uncertain by a send period at either end, of the slowest lane.
func outage(s reports.Scenario) (v Value, measured bool) {
	for _, lane := range s.Lanes {
		v.Value = max(v.Value, lane.LongestOutage)
		if lane.AskedRate > 0 {
			v.Uncertainty = max(v.Uncertainty, 2*1000/float64(lane.AskedRate))
		}
	}
	return v, len(s.Lanes) > 0
}

func measured(x, uncertainty *float64) (v Value, ok bool) {
	if x == nil {
		return Value{}, false
	}
	v.Value = *x
	if uncertainty != nil {
		v.Uncertainty = *uncertainty
	}
	return v, true
}

func count(n *int) (Value, bool) {
	if n == nil {
		return Value{}, false
	}
	return Value{Value: float64(*n)}, true
}

func lag(l *reports.Lags, of func(*reports.Lags) float64) (Value, bool) {
	if l == nil {
		return Value{}, false
	}
	return Value{Value: of(l), Uncertainty: l.Error, Within: l.Max - l.P50}, true
}
