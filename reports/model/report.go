// Package model is a judged run as data: the report that marshals to report.json, and that every writer reads,
// and the metrics, which are the numbers that are measured of its scenarios.
package model

import (
	"cmp"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
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
	Scenarios  []Scenario         `json:"scenarios"`          // by mode, suite and id
	Claims     []Claim            `json:"claims,omitempty"`   // the seed claims that they cover, by mode and number
	Findings   []TestedFinding    `json:"findings,omitempty"` // of the manifests that were tried, by file and line
	// JudgedAgain says in a line of how many recordings no verdict that was kept fits, and why; empty: of none.
	JudgedAgain string `json:"-"`
}

// A Run says what was run, when and by which build.
type Run struct {
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"` // absent when the run was cut off
	Version string    `json:"version"`
	Command string    `json:"command"`
	Broken  []string  `json:"broken,omitempty"` // what kept scenarios from being recorded, or the folder from being read whole

	Profile  string                    `json:"profile,omitempty"`          // smoke, core or full; absent: before there were profiles
	LeftOut  int                       `json:"left_out,omitempty"`         // scenarios that it does not run, per mode
	Expected float64                   `json:"expected_seconds,omitempty"` // an estimate for the run, from when it began
	Jobs     int                       `json:"jobs,omitempty"`             // most recordings side by side on one cluster
	Rate     int                       `json:"rate,omitempty"`             // requests per second and lane, when the run ended
	Steps    []string                  `json:"steps,omitempty"`            // a sentence for each time the rate or Jobs was changed
	Seconds  map[evidence.Part]float64 `json:"seconds_by_part,omitempty"`  // recordings side by side add up
}

// Cluster returns the cluster of a mode; it is empty if it is not known.
func (r Report) Cluster(mode string) evidence.Cluster {
	for _, c := range r.Clusters {
		if c.Mode == mode {
			return c
		}
	}
	return evidence.Cluster{}
}

// FullProfile is the profile that leaves no scenario out, and that of a run from before there were profiles.
const FullProfile = "full"

// ProfileName returns the profile of the run.
func (r Run) ProfileName() string { return cmp.Or(r.Profile, FullProfile) }

// A Summary counts scenarios by outcome. Requests are those of all lanes; Seconds is wall time.
type Summary struct {
	Pass         int     `json:"pass"`
	Fail         int     `json:"fail"`
	Inconclusive int     `json:"inconclusive"`
	Skipped      int     `json:"skipped"`
	Requests     int     `json:"requests"`
	Seconds      float64 `json:"seconds"`
}

// Add counts a scenario.
func (s *Summary) Add(o verdict.Outcome) {
	switch o {
	case verdict.Pass:
		s.Pass++
	case verdict.Fail:
		s.Fail++
	case verdict.Inconclusive:
		s.Inconclusive++
	case verdict.Skipped:
		s.Skipped++
	}
}

// ExitCode is what a process that reports r exits with: 1 when a scenario failed, else 3 when one
// was inconclusive, the infrastructure broke or nothing was judged, else 0.
func ExitCode(r Report) int {
	switch {
	case r.Summary.Fail > 0:
		return 1
	case r.Summary.Inconclusive > 0 || len(r.Run.Broken) > 0 || r.Summary.Pass == 0:
		return 3
	default:
		return 0
	}
}
