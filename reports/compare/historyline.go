package compare

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// HistorySchema is the schema of the lines that this build writes, and the newest that it reads.
const HistorySchema = 1

// A Line is the result of one scenario in one mode of one run: a line of history.jsonl.
type Line struct {
	Schema     int                `json:"schema"`
	Run        string             `json:"run"`
	Began      time.Time          `json:"began"` // when the run began; with the id it identifies the run
	Of         int                `json:"of"`    // how many lines the run has
	Version    string             `json:"version"`
	Scenario   string             `json:"scenario"` // suite/id
	Mode       string             `json:"mode"`
	Kubernetes string             `json:"kubernetes"`
	Kernel     string             `json:"kernel"`
	CNI        string             `json:"cni"`
	Load       string             `json:"load,omitempty"` // how many lanes, and what they send together
	Outcome    string             `json:"outcome"`
	Because    string             `json:"because,omitempty"` // unless it passed
	Attempts   int                `json:"attempts"`
	Numbers    map[string]float64 `json:"numbers,omitempty"` // by key
}

// Conditions is what two runs of a scenario have to share for their numbers to be comparable.
type Conditions struct {
	Scenario, Mode string
	Minor          string // of Kubernetes, such as v1.36
	CNI            string
	Load           string
}

// Conditions returns the conditions of the line.
func (l Line) Conditions() Conditions {
	return Conditions{l.Scenario, l.Mode, minor(l.Kubernetes), l.CNI, l.Load}
}

// Decided reports whether the recording could be trusted and something was judged, so that the numbers count.
func (l Line) Decided() bool {
	return l.Outcome == verdict.Pass.String() || l.Outcome == verdict.Fail.String()
}

// LinesOf returns the lines of a report for a history, one per scenario and in its order.
func LinesOf(r model.Report) []Line {
	var lines []Line
	for _, s := range r.Scenarios {
		c := r.Cluster(s.Mode)
		l := Line{
			Schema: HistorySchema, Run: r.Run.ID, Began: r.Run.Began, Of: len(r.Scenarios), Version: r.Run.Version,
			Scenario: s.Name(), Mode: s.Mode, Kubernetes: cmp.Or(s.Kubernetes, c.Kubernetes), Kernel: c.Kernel, CNI: c.CNI,
			Load: loadOf(s), Outcome: s.Outcome.String(), Attempts: s.Attempts, Numbers: map[string]float64{},
		}
		if s.Outcome != verdict.Pass {
			l.Because = s.Because
		}
		for key, v := range model.ComparedOf(s) {
			l.Numbers[key] = v.Value
		}
		lines = append(lines, l)
	}
	return lines
}

// loadOf returns, for example, "7 lanes, 700/s"; it is empty without lanes.
func loadOf(s model.Scenario) string {
	lanes := s.LoadLanes()
	if len(lanes) == 0 {
		return ""
	}
	rate := 0
	for _, lane := range lanes {
		rate += lane.RequestedRate
	}
	return fmt.Sprintf("%d lanes, %d/s", len(lanes), rate)
}

// minor returns v1.36 for v1.36.3.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
