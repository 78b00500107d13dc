package model

// Numbers is what a rollout cost, as far as it was measured. Where clocks were read, a number with its ends on two clocks has its
// uncertainty beside it.
type Numbers struct {
	StatusGap        *float64 `json:"status_gap_ms,omitempty"`
	StatusGapError   *float64 `json:"status_gap_uncertainty_ms,omitempty"`
	MixedWindow      *float64 `json:"mixed_window_ms,omitempty"`
	MixedWindowError *float64 `json:"mixed_window_uncertainty_ms,omitempty"`
	MinAvailable     *int     `json:"min_available,omitempty"`
	MaxPods          *int     `json:"max_pods,omitempty"`
	DrainLag         *Lags    `json:"drain_lag_ms,omitempty"`
	RuleLag          *Lags    `json:"rule_lag_ms,omitempty"`
	// NeededDrain is, by observed node, how long a pod had to serve on after its endpoint left so that no new connection was
	// lost: the longest rule lag, its uncertainty included, without the time in which no endpoint was ready.
	NeededDrain map[string]float64 `json:"needed_drain_ms,omitempty"`
	// NeededDrains is its distribution over terminations.
	NeededDrains *NeededDrains `json:"needed_drain_terminations_ms,omitempty"`
	Whole        *float64      `json:"whole_ms,omitempty"` // from when a disruption was undone until the cluster was whole
	// NodeBusy is the share of processors in use in the busiest second of each 10 s under load, over all nodes; recordings of earlier
	// Rollcalls have each second.
	NodeBusy *Percent `json:"node_busy_percent,omitempty"`
	// NodeStolen is the largest share of a node's processors that other machines of its host took.
	NodeStolen       *float64 `json:"node_stolen_percent,omitempty"`
	Conntrack        *float64 `json:"conntrack_percent,omitempty"`    // the largest share of a node's connection table in use
	ClockUncertainty *float64 `json:"clock_uncertainty_ms,omitempty"` // by which any time of the scenario may be wrong
}

// Lags summarizes the lags of all old pods and nodes, in milliseconds.
type Lags struct {
	P50   float64 `json:"p50"`
	Max   float64 `json:"max"`
	Error float64 `json:"uncertainty,omitempty"` // the largest of any lag
}

// A Percent is a share, over time.
type Percent struct {
	P50 float64 `json:"p50"`
	Max float64 `json:"max"`
}

// A PodLag says for how long one node went on routing to one old pod after the pod's endpoint had left ready, in milliseconds. What was not
// seen is absent.
type PodLag struct {
	Pod         string   `json:"pod"`
	Node        string   `json:"node"`
	Left        float64  `json:"left_ms"` // when its endpoint left ready, in the recording
	DrainLag    *float64 `json:"drain_lag_ms,omitempty"`
	RuleLag     *float64 `json:"rule_lag_ms,omitempty"`
	NeededDrain *float64 `json:"needed_drain_ms,omitempty"`
}
