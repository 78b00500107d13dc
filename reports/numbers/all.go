package numbers

import "rollcall/reports"

// All lists the numbers, in the order in which they are told.
//
// Their spreads come from 45 pairs of runs of 13 scenarios under load, and 99 of some without, on one machine with 2
// cores: each of the same scenario, mode, Kubernetes minor and lanes, both passed. A floor is about one and a half times the
// most that such a pair was apart, unless the share covers it; a share is about as much of the larger one as most pairs
// were apart. A mixed window ends with the slowest of kept connections, and once was twice as long. Lags are as much as
// kube-proxy takes to its next synchronization, which is at most one a second. Where no request failed in one run of a
// pair, none did in the other. Two cores run three nodes there, so that a quieter machine differs less: a history tells
// by how much.
func All() []Number {
	return []Number{
		{"failed", "requests that failed", Requests, Lower, Spread{Floor: 40, Share: 0.5, Exact: true}, sum(failed)},
		{"lost_replies", "replies lost", Requests, Lower, Spread{Floor: 35, Share: 0.5}, sum(lostReplies)},
		{"retried", "requests sent again", Requests, Lower, Spread{Floor: 35, Share: 0.5}, sum(retried)},
		{"longest_outage_ms", "longest outage", Milliseconds, Lower, Spread{Floor: 250, Share: 0.5}, outage},
		{"status_gap_ms", "status gap", Milliseconds, Lower, Spread{Floor: 1000, Share: 0.25}, statusGap},
		{"mixed_window_ms", "mixed window", Milliseconds, Lower, Spread{Floor: 4000, Share: 0.6}, mixedWindow},
		{"drain_lag_p50_ms", "drain lag, median", Milliseconds, Lower, Spread{Floor: 1500, Share: 0.5}, lag(drainLag, p50)},
		{"drain_lag_max_ms", "drain lag, longest", Milliseconds, Lower, Spread{Floor: 1500, Share: 0.5}, lag(drainLag, longest)},
		{"rule_lag_p50_ms", "rule lag, median", Milliseconds, Lower, Spread{Floor: 1500, Share: 0.5}, lag(ruleLag, p50)},
		{"rule_lag_max_ms", "rule lag, longest", Milliseconds, Lower, Spread{Floor: 1500, Share: 0.5}, lag(ruleLag, longest)},
		{"min_available", "fewest pods available", Pods, Higher, Spread{}, minAvailable},
		{"max_pods", "most pods", Pods, Lower, Spread{Floor: 2, Share: 0.2}, maxPods},
		{"node_busy_p50_percent", "nodes busy, median", Percent, Neither, Spread{Floor: 70}, nodeBusy},
		{"conntrack_percent", "connection table, fullest", Percent, Neither, Spread{Floor: 15}, conntrack},
	}
}

func failed(l reports.Lane) *int      { return new(l.Failed()) }
func lostReplies(l reports.Lane) *int { return l.LostReplies }
func retried(l reports.Lane) *int     { return &l.Retried }

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

// statusGap is none when the old version's last reply came before the status: how long before is no gain.
func statusGap(s reports.Scenario) (Value, bool) {
	v, ok := measured(s.Numbers.StatusGap, s.Numbers.StatusGapError)
	v.Value = max(0, v.Value)
	return v, ok
}

func mixedWindow(s reports.Scenario) (Value, bool) {
	return measured(s.Numbers.MixedWindow, s.Numbers.MixedWindowError)
}

func minAvailable(s reports.Scenario) (Value, bool) { return measured(s.Numbers.MinAvailable, nil) }
func maxPods(s reports.Scenario) (Value, bool)      { return measured(s.Numbers.MaxPods, nil) }
func conntrack(s reports.Scenario) (Value, bool)    { return measured(s.Numbers.Conntrack, nil) }

func nodeBusy(s reports.Scenario) (Value, bool) {
	if s.Numbers.NodeBusy == nil {
		return Value{}, false
	}
	return Value{Value: s.Numbers.NodeBusy.P50}, true
}

func measured[N int | float64](x *N, uncertainty *float64) (v Value, ok bool) {
	if x == nil {
		return Value{}, false
	}
	v.Value = float64(*x)
	if uncertainty != nil {
		v.Uncertainty = *uncertainty
	}
	return v, true
}

func drainLag(n reports.Numbers) *reports.Lags { return n.DrainLag }
func ruleLag(n reports.Numbers) *reports.Lags  { return n.RuleLag }
func p50(l *reports.Lags) float64              { return l.P50 }
func longest(l *reports.Lags) float64          { return l.Max }

// lag is one of the lags of a run's pods and nodes.
func lag(lags func(reports.Numbers) *reports.Lags, of func(*reports.Lags) float64) func(reports.Scenario) (Value, bool) {
	return func(s reports.Scenario) (Value, bool) {
		l := lags(s.Numbers)
		if l == nil {
			return Value{}, false
		}
		return Value{Value: of(l), Uncertainty: l.Error, Within: l.Max - l.P50}, true
	}
}
