// Package reports turns a run folder into what people and machines read. It
// loads the evidence, joins and judges it anew, and writes the result; it keeps
// no opinion of its own, so a report never disagrees with a replay.
package reports

import (
	"math"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// Names and version of the report's schema, as report.json carries them.
const (
	APIVersion = "rollcall/v1alpha1"
	Kind       = "ConformanceReport"
)

// A Report is one conformance run, judged. It marshals to report.json: names and units are a
// contract. A number that was not measured is absent, never zero.
type Report struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	Run        Run                `json:"run"`
	Clusters   []evidence.Cluster `json:"clusters"` // by mode
	Summary    Summary            `json:"summary"`
	Scenarios  []Scenario         `json:"scenarios"` // by mode, suite and id
}

// A Run says what was run, when and by which build.
type Run struct {
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"` // absent when the run was cut off
	Version string    `json:"version"`
	Command string    `json:"command"`
	Broken  []string  `json:"broken,omitempty"` // what kept scenarios from being recorded, or the folder from being read whole

	Pace        evidence.Pace `json:"pace,omitempty"`        // of its scenarios; absent: normal, before paces were known
	Calibration *Calibration  `json:"calibration,omitempty"` // by which it was found

	Profile  string                    `json:"profile,omitempty"`          // smoke, core or full; absent: before there were profiles
	LeftOut  int                       `json:"left_out,omitempty"`         // scenarios that it does not run, per mode
	Expected float64                   `json:"expected_seconds,omitempty"` // for the run, when it began
	Jobs     int                       `json:"jobs,omitempty"`             // most recordings side by side on one cluster
	Rate     int                       `json:"rate,omitempty"`             // requests per second and lane it ended with
	Steps    []string                  `json:"steps,omitempty"`            // a sentence for each time the rate or Jobs was lowered
	Seconds  map[evidence.Part]float64 `json:"seconds_by_part,omitempty"`  // recordings side by side add up
}

// A Calibration is what a short trial showed of the machine that clients and cluster share.
type Calibration struct {
	Cores   int     `json:"cores"`
	Connect float64 `json:"connect_ms"`      // median of opening a connection to itself
	Start   float64 `json:"start_ms"`        // median of starting a program
	Fresh   float64 `json:"fresh,omitempty"` // requests per second of one client, one after the other, each over a new connection
	Rate    float64 `json:"rate"`            // requests sent per second
	Lag     float64 `json:"lag_p99_ms"`      // after they were due
}

func newCalibration(c *evidence.Calibration) *Calibration {
	if c == nil {
		return nil
	}
	return &Calibration{Cores: c.Cores, Connect: millis(c.Connect), Start: millis(c.Start), Fresh: c.Fresh, Rate: c.Rate, Lag: millis(c.Lag)}
}

// A Summary counts scenarios by outcome. Requests are those of all lanes; Seconds is wall time.
type Summary struct {
	Pass         int     `json:"pass"`
	Fail         int     `json:"fail"`
	Inconclusive int     `json:"inconclusive"`
	Skipped      int     `json:"skipped"`
	Requests     int     `json:"requests"`
	Seconds      float64 `json:"seconds"`
}

// A Scenario is one scenario on one cluster: its last attempt.
type Scenario struct {
	ID          string          `json:"id"`
	Suite       string          `json:"suite"`
	Mode        string          `json:"mode"`
	Kubernetes  string          `json:"kubernetes,omitempty"` // version of the API server
	Claim       string          `json:"claim"`
	Covers      []string        `json:"covers"`
	Given       []string        `json:"given,omitempty"`        // changes that were made to the cluster for it
	RecordedFor string          `json:"recorded_for,omitempty"` // scenario, with its suite, of which the recording is too; absent: its own
	Outcome     verdict.Outcome `json:"outcome"`
	Because     string          `json:"because"`
	Attempts    int             `json:"attempts"`
	Began       time.Time       `json:"began,omitzero"`
	Seconds     float64         `json:"seconds"`
	LoadSeconds *float64        `json:"load_seconds,omitempty"` // load-begun to load-ended
	Rules       []Rule          `json:"rules"`
	Lanes       []Lane          `json:"lanes"`
	Numbers     Numbers         `json:"numbers"`
	Advice      []string        `json:"advice,omitempty"`      // to the owner of an app that is not Rollcall's
	Evidence    string          `json:"evidence"`              // folder, relative to the run folder, with slashes
	Files       []string        `json:"-"`                     // names of what lies in it
	Diagnostics string          `json:"diagnostics,omitempty"` // likewise a folder: what the cluster looked like when it went wrong
}

// A Rule is what one expectation came to.
type Rule struct {
	ID        string          `json:"id"`
	Claim     string          `json:"claim"`
	Outcome   verdict.Outcome `json:"outcome"`
	Because   string          `json:"because"`
	Witnesses []Witness       `json:"witnesses"`
}

// A Witness names a hit that decided a rule.
type Witness struct {
	Lane string `json:"lane"`
	Seq  uint64 `json:"seq"`
}

// A Lane is what one client saw. Rates are per second, times in milliseconds. What only the pods can
// tell is absent when their tape was not recorded.
type Lane struct {
	ID            string                 `json:"id"`
	Vantage       evidence.Vantage       `json:"vantage"`
	Node          string                 `json:"node"`
	Conn          evidence.Conn          `json:"conn"`
	Agents        int                    `json:"agents,omitempty"`  // that carried it
	Resends       bool                   `json:"resends,omitempty"` // silently, what a dead connection cost it
	AskedRate     int                    `json:"asked_rate"`
	AchievedRate  *float64               `json:"achieved_rate,omitempty"`
	LagP99        *float64               `json:"lag_p99_ms,omitempty"`
	Requests      int                    `json:"requests"`
	Retried       int                    `json:"retried"` // given to several connections, or arrived more than once
	LostReplies   *int                   `json:"lost_replies,omitempty"`
	Arrivals      *int                   `json:"arrivals,omitempty"`
	NeverArrived  *int                   `json:"never_arrived,omitempty"`
	ByVersion     map[string]int         `json:"by_version"` // good replies
	LongestOutage float64                `json:"longest_outage_ms"`
	StatusGap     *float64               `json:"status_gap_ms,omitempty"` // how long the old version still replied after status-done
	Failures      map[evidence.Fault]int `json:"failures"`                // every kind, also those at 0
}

// kind is what the lane was for.
func (l Lane) kind() evidence.LaneKind {
	return evidence.Lane{Vantage: l.Vantage, Conn: l.Conn, Resends: l.Resends}.Kind()
}

// Failed is how many requests of the lane failed, of every kind.
func (l Lane) Failed() int {
	n := 0
	for _, count := range l.Failures {
		n += count
	}
	return n
}

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
	NeededDrain      map[string]float64 `json:"needed_drain_ms,omitempty"`
	NodeBusy         *Percent           `json:"node_busy_percent,omitempty"`    // processors in use, over the seconds of all nodes under load
	NodeStolen       *float64           `json:"node_stolen_percent,omitempty"`  // the most of any node's processors that other machines of its host had
	Conntrack        *float64           `json:"conntrack_percent,omitempty"`    // the most of any node's connection table
	ClockUncertainty *float64           `json:"clock_uncertainty_ms,omitempty"` // by which any time of the scenario may be wrong
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

// ExitCode is what a process that reports r exits with: 1 when a scenario failed, else 3 when one
// was inconclusive, the infrastructure broke or there is no scenario at all, else 0.
func ExitCode(r Report) int {
	switch {
	case r.Summary.Fail > 0:
		return 1
	case r.Summary.Inconclusive > 0 || len(r.Run.Broken) > 0 || r.Summary.Pass+r.Summary.Skipped == 0:
		return 3
	default:
		return 0
	}
}

// millis is a duration in milliseconds with at most three decimals.
func millis(d time.Duration) float64 { return thousandths(float64(d) / float64(time.Millisecond)) }

// seconds is a duration in seconds with at most three decimals.
func seconds(d time.Duration) float64 { return thousandths(d.Seconds()) }

func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }
