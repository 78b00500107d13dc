package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/mutants"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/testenv"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/suites/regressions"
)

// TestTrackRecord runs every scenario of suite regressions on a real cluster that has its bug, and on the same cluster as it is: it has to
// fail by the bug's mechanism, and then to pass. `make track-record` runs it; the results are in out/track-record.json.
func TestTrackRecord(t *testing.T) {
	testenv.Need(t, testenv.TrackRecord)
	tried := tries(t)
	s := planned(t, "track-record", func(o *Options) { o.Jobs = "1" })
	if s.plan.Target != nil {
		t.Fatal("components are replaced on clusters of our own alone: leave CONTEXT out")
	}
	ctx, stop := untilDeadline(t)
	defer stop()
	r, err := s.begin(ctx, "track-record")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(r.Layout.Runs(), "track-record.json")
	record, err := mutants.ReadTrackRecord(file) // entries of scenarios and modes that are not selected stay
	if err != nil {
		t.Fatal(err)
	}
	inEachMode(ctx, t, r, func(ctx context.Context, t *testing.T, m *ModeRun) { trackRecord{m, &record, file, tried}.all(ctx, t) })
	if err := errors.Join(r.End(), interrupted(ctx)); err != nil {
		t.Error(err)
	}
	fmt.Fprint(t.Output(), record.Table())
}

// A trackRecord is made on one cluster.
type trackRecord struct {
	*ModeRun
	record *mutants.TrackRecord
	file   string // to write
	tries  int    // of each scenario on the cluster with its bug
}

// tries returns the value of TRIES: 1 if it is not set.
func tries(t *testing.T) int {
	t.Helper()
	text, is := os.LookupEnv("TRIES")
	if !is {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("TRIES=%s is no number of tries: use 1 or more", text)
	}
	return n
}

// all runs each scenario on the cluster with its bug, as often as it is tried, and without it.
func (tr trackRecord) all(ctx context.Context, t *testing.T) {
	began, done, scenarios := time.Now(), 0, regressions.All()
	for _, s := range scenarios {
		t.Run(s.ID, func(t *testing.T) {
			if len(s.Bug.Modes) > 0 && !slices.Contains(s.Bug.Modes, tr.cluster.Mode()) {
				t.Skipf("%s shows in mode %s alone", s.Bug.Name(), strings.Join(s.Bug.Modes, " and "))
			}
			with := s
			with.ClusterChanges = regressions.Affected()[s.ID]
			var tried mutants.TrackEntry
			for n := range tr.tries {
				tried = tr.run(ctx, t, with, true, n+1).After(tried)
				tr.keep(t, tried)
			}
			tr.keep(t, tr.run(ctx, t, s, false, 1))
			done++
			each := time.Since(began) / time.Duration(done)
			t.Logf("%s: %d of %d scenarios done, about %v left if all are selected", tr.cluster.Mode(), done, len(scenarios),
				(time.Duration(len(scenarios)-done) * each).Round(time.Second))
		})
	}
}

// keep writes an entry to the record: at once, so that a run that is interrupted has it.
func (tr trackRecord) keep(t *testing.T, e mutants.TrackEntry) {
	t.Helper()
	*tr.record = tr.record.With(e)
	if err := store.WriteJSON(tr.file, *tr.record); err != nil {
		t.Fatal(err)
	}
}

// run records a scenario once, and checks the outcome.
func (tr trackRecord) run(ctx context.Context, t *testing.T, s harness.Scenario, affected bool, number int) mutants.TrackEntry {
	t.Helper()
	if ctx.Err() != nil {
		t.Skip(context.Cause(ctx))
	}
	began := time.Now()
	suite := map[bool]string{true: "affected", false: "fixed"}[affected]
	entry := tr.ModeRun.run.board.Entry(progress.Name{Mode: tr.cluster.Mode(), Suite: suite, Scenario: s.ID})
	a := attempt{mode: tr.ModeRun, cluster: tr.cluster, suite: suite, entry: entry, out: t.Output(), number: number, tries: number}
	folder := tr.ModeRun.run.folder(tr.cluster.Mode(), suite, s.ID, number)
	res, err := a.record(ctx, &s, folder)
	tr.cleanups.Wait() // before the next scenario changes the cluster
	entry.End(shown(res.verdict, err))
	if err != nil {
		t.Fatal(err)
	}
	ev, err := store.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	e := mutants.NewTrackEntry(ev.Run, res.verdict, affected, time.Since(began))
	switch {
	case affected && res.verdict.Outcome == verdict.Skipped:
		t.Skip(res.verdict.Because)
	case !affected && res.verdict.BugKnown:
		t.Skipf("%s %s has the bug as it is", e.Component, e.Version)
	}
	if t.Log(e.Line()); !e.Right {
		t.Errorf("%s on %s %s: %s", s.ID, e.Component, e.Version, res.verdict.Because)
	}
	return e
}
