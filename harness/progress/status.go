// Package progress shows what a run is doing: on a screen, and in status.json.
package progress

import (
	"slices"
	"time"
)

// File is the file in the run folder that has the Status. It is replaced at every change.
const File = "status.json"

// SchemaVersion is written into every status.json.
const SchemaVersion = 1

// A Status is what a run is doing. Durations are in seconds.
type Status struct {
	Schema  int       `json:"schema"`
	Run     string    `json:"run"`
	Began   time.Time `json:"began"`
	Updated time.Time `json:"updated"`
	Doing   string    `json:"doing,omitempty"` // while no scenario is under way
	Left    *float64  `json:"seconds_left,omitempty"`
	Running []Running `json:"running"`
	Ended   []Ended   `json:"ended"`
	// Expected has the scenarios of this run, with their durations in the last one, or estimates.
	Expected []Expected `json:"expected,omitempty"`
}

// A Name identifies a scenario in a run.
type Name struct {
	Mode     string `json:"mode"`
	Suite    string `json:"suite"`
	Scenario string `json:"scenario"`
}

// running returns the index of the scenario in Running; -1 if it is not under way.
func (s *Status) running(name Name) int {
	return slices.IndexFunc(s.Running, func(r Running) bool { return r.Name == name })
}

// A Running is a scenario under way.
type Running struct {
	Name
	Phase   string         `json:"phase"`
	Began   time.Time      `json:"began"`
	Seconds float64        `json:"seconds"`
	Left    *float64       `json:"seconds_left,omitempty"`
	Sent    int            `json:"sent"`
	Failed  int            `json:"failed"`
	Replies map[string]int `json:"replies,omitempty"` // by version
	Trouble string         `json:"trouble,omitempty"`
}

// An Ended is a scenario that was judged.
type Ended struct {
	Name
	Result
	Seconds float64 `json:"seconds"`
}

// A Result is the verdict on a scenario, in words.
type Result struct {
	Outcome  string   `json:"outcome"`
	Headline string   `json:"headline,omitempty"` // one line; empty: Because is short enough
	Because  string   `json:"because"`
	Facts    []string `json:"facts,omitempty"` // that the headline leaves out
}

// An Expected is a scenario that will run, and how long it is expected to take.
type Expected struct {
	Name
	Seconds float64 `json:"seconds"`
	Beside  int     `json:"beside"` // scenarios side by side with it, itself included
}

// Share returns how much so many seconds of the scenario add to those of the run, with others beside it.
func (e Expected) Share(seconds float64) float64 { return seconds / float64(max(1, e.Beside)) }

// Total returns how many scenarios the run has, as far as is known: skipped ones are not in Expected.
func (s *Status) Total() int {
	all := map[Name]bool{}
	for _, e := range s.Expected {
		all[e.Name] = true
	}
	for _, r := range s.Running {
		all[r.Name] = true
	}
	for _, e := range s.Ended {
		all[e.Name] = true
	}
	return len(all)
}

// age updates the times to now.
func (s *Status) age(now time.Time) {
	s.Updated = now.UTC()
	for i := range s.Running {
		r := &s.Running[i]
		r.Seconds = now.Sub(r.Began).Seconds()
		if last, known := s.lastTime(r.Name); known {
			r.Left = new(max(0, last-r.Seconds))
		}
	}
	s.Left = s.left()
}

// left returns how many seconds the run still takes if everything takes as long as expected; nil if nothing is expected.
func (s *Status) left() *float64 {
	if len(s.Expected) == 0 {
		return nil
	}
	over := make(map[Name]float64, len(s.Ended)+len(s.Running))
	for _, e := range s.Ended {
		over[e.Name] = e.Seconds
	}
	sum := 0.0
	for _, e := range s.Expected {
		if _, ended := over[e.Name]; ended {
			continue
		}
		rest := e.Seconds
		for _, r := range s.Running {
			if r.Name == e.Name {
				rest = max(0, rest-r.Seconds)
			}
		}
		sum += e.Share(rest)
	}
	return &sum
}

// lastTime returns how long a scenario took last time, if that is known.
func (s *Status) lastTime(name Name) (seconds float64, known bool) {
	for _, e := range s.Expected {
		if e.Name == name {
			return e.Seconds, true
		}
	}
	return 0, false
}
