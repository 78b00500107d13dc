package numbers

// All lists the numbers, in the order in which they are told.
//
// Their spreads come from 45 pairs of runs of 13 scenarios under load at the normal pace, and 108 of 18 at the light one,
// and several hundred of some without load, on two machines with 2 cores: each of the same scenario, mode, Kubernetes minor
// and lanes, both passed, on a cluster that was not changed for it. A floor is about one and a half times the most that such
// a pair was apart, unless the share covers it; a share is about as much of the larger one as most pairs were apart. A
// mixed window ends with the slowest of kept connections, and once was twice as long. An outage is as long as pods take to
// start, which once was twice as long. Lags are as much as kube-proxy takes to its next synchronization, which is at most
// one a second. Where no request failed in one run of a pair, none did in the other. Two cores run three nodes there, so
// that a quieter machine differs less: a history tells by how much.
func All() []Number {
	return []Number{
		{"failed", "requests that failed", Requests, Lower, Spread{Floor: 40, Share: 0.6, Exact: true}},
		{"lost_replies", "replies lost", Requests, Lower, Spread{Floor: 35, Share: 0.5}},
		{"retried", "requests sent again", Requests, Lower, Spread{Floor: 35, Share: 0.5}},
		{"longest_outage_ms", "longest outage", Milliseconds, Lower, Spread{Floor: 250, Share: 0.6}},
		{"status_gap_ms", "status gap", Milliseconds, Lower, Spread{Floor: 1000, Share: 0.25}},
		{"mixed_window_ms", "mixed window", Milliseconds, Lower, Spread{Floor: 4000, Share: 0.6}},
		{"drain_lag_p50_ms", "drain lag, median", Milliseconds, Lower, Spread{Floor: 1500, Share: 0.5}},
		{"drain_lag_max_ms", "drain lag, longest", Milliseconds, Lower, Spread{Floor: 1500, Share: 0.5}},
		{"rule_lag_p50_ms", "rule lag, median", Milliseconds, Lower, Spread{Floor: 1500, Share: 0.5}},
		{"rule_lag_max_ms", "rule lag, longest", Milliseconds, Lower, Spread{Floor: 1500, Share: 0.5}},
		{"min_available", "fewest pods available", Pods, Higher, Spread{}},
		{"max_pods", "most pods", Pods, Lower, Spread{Floor: 2, Share: 0.2}},
		{"node_busy_p50_percent", "nodes busy, median", Percent, Neither, Spread{Floor: 70}},
		{"conntrack_percent", "connection table, fullest", Percent, Neither, Spread{Floor: 15}},
	}
}
