package model

// Numbers are what a rollout cost, as far as it was measured. By how much a number may be wrong, because
// its ends were read on two clocks, stands beside it where clocks were read.
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
	// NeededDrains is the same over terminations.
	NeededDrains *NeededDrains `json:"needed_drain_terminations_ms,omitempty"`
	Whole        *float64      `json:"whole_ms,omitempty"`          // from when a disruption was undone until the cluster was whole
	NodeBusy     *Percent      `json:"node_busy_percent,omitempty"` // processors in use, over the seconds of all nodes under load
	// the most of any node's processors that other machines of its host had
	NodeStolen       *float64 `json:"node_stolen_percent,omitempty"`
	Conntrack        *float64 `json:"conntrack_percent,omitempty"`    // the most of any node's connection table
	ClockUncertainty *float64 `json:"clock_uncertainty_ms,omitempty"` // by which any time of the scenario may be wrong
}

// Lags are over old pods and nodes, in milliseconds.
type Lags struct {
	P50   float64 `json:"p50"`
	Max   float64 `json:"max"`
	Error float64 `json:"uncertainty,omitempty"` // the largest, of any of them
}

// A Percent is a share, over time.
type Percent struct {
	P50 float64 `json:"p50"`
	Max float64 `json:"max"`
}

// A PodLag is how long one node went on with one old pod after its endpoint had left ready, in milliseconds. What was not
// seen is absent.
type PodLag struct {
	Pod         string   `json:"pod"`
	Node        string   `json:"node"`
	Left        float64  `json:"left_ms"` // when its endpoint did, in the recording
	DrainLag    *float64 `json:"drain_lag_ms,omitempty"`
	RuleLag     *float64 `json:"rule_lag_ms,omitempty"`
	NeededDrain *float64 `json:"needed_drain_ms,omitempty"`
}
