package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rollcall/harness/progress"
)

// A status is what this program needs of a status.json; less than [progress.Status], since it reads those of other commits.
type status struct {
	Updated time.Time `json:"updated"`
	Doing   string    `json:"doing"`
	Running []under   `json:"running"`
	Ended   []struct {
		Scenario string `json:"scenario"`
		Outcome  string `json:"outcome"`
	} `json:"ended"`
	run string // folder it is in
}

// An under is a scenario under way.
type under struct {
	Mode     string `json:"mode"`
	Suite    string `json:"suite"`
	Scenario string `json:"scenario"`
	Phase    string `json:"phase"`
	Sent     int    `json:"sent"` // to the app; control lanes are left out
	Trouble  string `json:"trouble"`
	run      string // folder
}

// newest stands for the run under way.
const newest = "newest"

// read reads the status of the run, or of that one of the runs which wrote its status last. One that was last written
// before this program began is nil: it may be of a run that is over.
func (a *attachment) read() (*status, error) {
	files := []string{filepath.Join(a.run, progress.File)}
	if a.run == newest {
		var err error
		if files, err = filepath.Glob(filepath.Join(a.out, "*", progress.File)); err != nil {
			return nil, err
		}
	}
	file, written := "", a.since
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.ModTime().After(written) {
			file, written = f, info.ModTime()
		}
	}
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &status{run: filepath.Dir(file)}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	for i := range s.Running {
		s.Running[i].run = s.run
	}
	return s, nil
}
