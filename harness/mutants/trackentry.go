package mutants

import (
	"fmt"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// A TrackEntry is the outcome of a scenario on one cluster: of all tries, if it was run several times.
type TrackEntry struct {
	Bug       string  `json:"bug"` // such as "k/k#139515"
	Scenario  string  `json:"scenario"`
	Mode      string  `json:"mode"`
	Component string  `json:"component"`
	Version   string  `json:"version"`  // of the component, with the setting that enables the bug, if there is one
	Affected  bool    `json:"affected"` // the version has the bug
	Outcome   string  `json:"outcome"`
	Cause     string  `json:"cause"` // finding of the rule that the bug's mechanism fails, or of the verdict; empty: it passed
	Seconds   float64 `json:"seconds"`
	// Right: an affected version failed by the bug's mechanism, or another one passed. Of several tries, one was; outcome and cause are of
	// the last that was, or of the last if none was.
	Right      bool `json:"right"`
	Tries      int  `json:"tries"`
	RightTries int  `json:"rightTries"`
}

// NewTrackEntry returns the entry for a recording of a scenario with a bug, on a version that is affected or not.
func NewTrackEntry(run evidence.Run, v verdict.Verdict, affected bool, took time.Duration) TrackEntry {
	bug := *run.Bug
	e := TrackEntry{
		Bug: bug.Name(), Scenario: run.Scenario, Mode: run.Mode, Component: bug.Component,
		Version: strings.Join(verdict.VersionsRun(run), " and "), Affected: affected, Outcome: v.Outcome.String(),
		Seconds: took.Round(100 * time.Millisecond).Seconds(),
		Right:   v.Outcome == verdict.Pass && v.Bug == verdict.NotAffected && !v.BugKnown,
	}
	if affected {
		e.Right = v.Outcome == verdict.Fail && v.Bug == verdict.Affected && v.BugKnown
	}
	for _, change := range run.ClusterChanges {
		if setting, is := strings.CutPrefix(change, bug.Component+" with "); is {
			e.Version += " with " + setting
		}
	}
	for i, f := range v.Findings {
		if x := run.Expect[i]; f.Outcome == verdict.Fail && x.Rule == bug.Rule && x.Fact == bug.Fact {
			e.Cause = f.Because
		}
	}
	if e.Cause == "" && v.Outcome != verdict.Pass {
		e.Cause = v.Because
	}
	e.Tries = 1
	if e.Right {
		e.RightTries = 1
	}
	return e
}

// After returns the entry of several tries: those before, and this one.
func (e TrackEntry) After(before TrackEntry) TrackEntry {
	shown := e
	if before.Right && !e.Right {
		shown = before
	}
	shown.Tries, shown.RightTries = before.Tries+e.Tries, before.RightTries+e.RightTries
	return shown
}

// Line returns the entry as one line.
func (e TrackEntry) Line() string {
	right := "WRONG"
	if e.Right {
		right = "right"
	}
	line := fmt.Sprintf("%s  %-10s %-9s %s %s: %s in %.0f s", right, e.Bug, e.Mode, e.Component, e.Version, e.Outcome, e.Seconds)
	if e.Cause != "" {
		line += ": " + e.Cause
	}
	return line
}
