package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/poll"
)

// An attachment is to a run that somebody else started.
type attachment struct {
	out, run        string // folder of run folders; run folder, or newest
	scenario, phase string
	log             io.Writer
	since           time.Time // when this program began

	found  under
	counts []count
}

// A count is how many requests the scenario had sent to the app at a time.
type count struct {
	at   time.Time
	sent int
}

const (
	statusEvery = 250 * time.Millisecond
	sayEvery    = 30 * time.Second
	// phaseTimeout is for a run that compiles, makes a cluster and has other scenarios first.
	phaseTimeout = 40 * time.Minute
)

// await returns when the scenario is in the phase.
func (a *attachment) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, phaseTimeout, fmt.Errorf("%s was not %s in %v", a.scenario, a.phase, phaseTimeout))
	defer cancel()
	said := time.Time{}
	return poll.Until(ctx, statusEvery, func() (bool, error) {
		s, err := a.read()
		doing := ""
		switch {
		case err != nil:
			doing = err.Error()
		case s == nil:
			doing = fmt.Sprintf("%s has no run that tells what it is doing", a.out)
			if a.run != newest {
				doing = a.run + " tells nothing new"
			}
		default:
			if a.note(s) {
				return true, nil
			}
			if doing, err = a.doing(s); err != nil {
				return false, err
			}
		}
		if time.Since(said) >= sayEvery {
			said = time.Now()
			fmt.Fprintf(a.log, "waiting until %s is %s: %s\n", a.scenario, a.phase, doing)
		}
		return false, nil
	})
}

// doing is what a run does whose scenario is not in the phase. It is an error if the scenario has ended.
func (a *attachment) doing(s *status) (string, error) {
	if i := slices.IndexFunc(s.Running, func(u under) bool { return u.Scenario == a.scenario }); i >= 0 {
		return fmt.Sprintf("%s: its phase is %q", s.run, s.Running[i].Phase), nil
	}
	for _, e := range s.Ended {
		if e.Scenario == a.scenario {
			return "", fmt.Errorf("%s: %s has ended (%s) and was not seen %s", s.run, a.scenario, e.Outcome, a.phase)
		}
	}
	if s.Doing != "" {
		return s.run + ": " + s.Doing, nil
	}
	return fmt.Sprintf("%s: %d scenarios ended, %d under way", s.run, len(s.Ended), len(s.Running)), nil
}

// note takes what a status says about the scenario, if it is in the phase.
func (a *attachment) note(s *status) (in bool) {
	i := slices.IndexFunc(s.Running, func(u under) bool { return u.Scenario == a.scenario && u.Phase == a.phase })
	if i < 0 {
		return false
	}
	a.found = s.Running[i]
	// Who is in trouble did not tell its part. The time is that of the count only if the count is new.
	last := len(a.counts) - 1
	if a.found.Trouble == "" && a.found.Sent > 0 && (last < 0 || a.counts[last].sent != a.found.Sent) {
		a.counts = append(a.counts, count{s.Updated, a.found.Sent})
	}
	return true
}

// follow notes what has been sent since. It is an error if the phase is over.
func (a *attachment) follow() error {
	s, err := a.read()
	if err != nil {
		return err
	}
	if s == nil || !a.note(s) {
		return fmt.Errorf("%s: %s is no longer %s: give fewer -seconds, or start this program before the run", a.found.run, a.scenario, a.phase)
	}
	return nil
}

// requests is how many the scenario sends per second, and who says so. A status counts those to the app, which
// are as many as were sent; of those on control lanes only the rate that was asked is known.
func (a *attachment) requests(asked float64) (perSecond float64, told string) {
	lanes, err := a.lanes()
	if err != nil {
		fmt.Fprintf(a.log, "what -requests says is taken for the rate: %v\n", err)
		return asked, "as -requests says"
	}
	var app, control float64
	for _, lane := range lanes {
		if lane.Kind().IsControl() {
			control += float64(lane.Rate)
		} else {
			app += float64(lane.Rate)
		}
	}
	if n := len(a.counts); n > 1 {
		first, last := a.counts[0], a.counts[n-1]
		if took := last.at.Sub(first.at).Seconds(); took > 0 {
			sent := float64(last.sent-first.sent) / took
			return sent + control, fmt.Sprintf("%.0f sent to the app of %.0f asked, and %.0f asked on control lanes", sent, app, control)
		}
	}
	return app + control, fmt.Sprintf("%.0f to the app and %.0f on control lanes, as asked", app, control)
}

// lanes are those of the scenario's recording, which has them since its load began.
func (a *attachment) lanes() ([]evidence.Lane, error) {
	file := filepath.Join(evidence.ScenarioFolder(a.found.run, a.found.Mode, a.found.Suite, a.scenario, 1), evidence.RunFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var run struct{ Lanes []evidence.Lane }
	if err := json.Unmarshal(data, &run); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(run.Lanes) == 0 {
		return nil, errors.New(file + " has no lanes")
	}
	return run.Lanes, nil
}
