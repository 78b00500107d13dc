package run

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/mutants"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/record"
	"example.com/rollcall/harness/testenv"
	"example.com/rollcall/harness/verdict"
)

// TestMutants does every damage of the catalogue on a real cluster, and checks the outcome and the named cause.
// `make mutants` runs it; the results are in out/mutants.json.
func TestMutants(t *testing.T) {
	testenv.Need(t, testenv.Mutants)
	s := planned(t, "mutants", func(o *Options) {
		o.Jobs, o.Rate, o.RPCs = "1", cmp.Or(o.Rate, "50"), true // enough requests to see 300 ms
	})
	if s.plan.Target != nil {
		t.Fatal("damage is done to clusters of our own alone: leave CONTEXT out")
	}
	ctx, stop := untilDeadline(t)
	defer stop()
	r, err := s.begin(ctx, "mutants")
	if err != nil {
		t.Fatal(err)
	}
	commit, err := command.Run(ctx, "git describe --always --dirty --exclude=*") // go test does not put it into its binaries
	if err != nil {
		t.Fatal(err)
	}
	report := mutantReport{file: filepath.Join(r.Layout.Runs(), "mutants.json"), commit: commit, kubernetes: r.Kubernetes}
	for _, mode := range r.Modes {
		t.Run(mode, func(t *testing.T) {
			m := mutantRun{Run: r, mode: mode, report: &report, began: time.Now()}
			defer m.close(t)
			for _, mutant := range mutants.All() {
				if mutant.In(mode) {
					t.Run(mutant.ID, func(t *testing.T) { m.do(ctx, t, mutant) })
				}
			}
		})
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
	if err := report.write(ctx, t.Output()); err != nil {
		t.Error(err)
	}
}

// A mutantRun runs the mutants of one mode, on one cluster unless a damage breaks it.
type mutantRun struct {
	*Run
	mode    string
	run     *ModeRun           // nil: none, or the last one's cluster is broken
	cluster cluster.Changeable // of it
	report  *mutantReport
	began   time.Time
	done    int
}

// do runs one mutant and checks that it is killed.
func (m *mutantRun) do(ctx context.Context, t *testing.T, mutant mutants.Mutant) {
	if ctx.Err() != nil {
		t.Skip(context.Cause(ctx))
	}
	if err := m.whole(ctx, t); err != nil {
		t.Fatal(err)
	}
	result, err := m.record(ctx, t, mutant)
	if ctx.Err() != nil {
		t.Skip(context.Cause(ctx))
	}
	if err != nil {
		result = mutant.Failed(m.mode, err)
	}
	m.done++
	t.Logf("%s\n%s", result.Line(), m.report.left(m, result))
	if !result.Killed {
		t.Errorf("%s survived: %s, want %s: %s", result.Mutant, result.Got, result.Expected, result.Cause)
	}
}

// whole waits until the cluster is whole, and makes a new one if it cannot be.
func (m *mutantRun) whole(ctx context.Context, t *testing.T) error {
	if m.run != nil {
		err := mutants.Heal(ctx, m.cluster)
		if err == nil {
			return nil
		}
		t.Logf("the cluster is made anew: %v", err)
		if err := m.run.Close(ctx); err != nil {
			return err
		}
		m.run = nil
	}
	run, skip, err := m.Open(ctx, t.Output(), m.mode, false)
	if err != nil {
		return err
	}
	if skip != "" {
		t.Skip(skip)
	}
	ours, ok := run.cluster.(cluster.Changeable)
	if !ok {
		return errors.Join(errors.New("damage is done to clusters of our own alone"), run.Close(ctx))
	}
	m.run, m.cluster = run, ours
	return mutants.Heal(ctx, ours)
}

// close heals the cluster, which may be kept, and closes it.
func (m *mutantRun) close(t *testing.T) {
	if m.run == nil {
		return
	}
	m.run.cleanups.Wait()
	ctx := context.WithoutCancel(t.Context())
	if err := errors.Join(mutants.Heal(ctx, m.cluster), m.run.Close(ctx)); err != nil {
		t.Error(err)
	}
}

// record makes the recordings of a mutant: one, or with retries if the mutant is about them.
func (m *mutantRun) record(ctx context.Context, t *testing.T, mutant mutants.Mutant) (mutants.Result, error) {
	s, err := mutant.Scenario()
	if err != nil {
		return mutants.Result{}, err
	}
	if err := m.editSession(func(s *evidence.Session) { s.Rate, s.Jobs = m.Rate, m.Jobs }); err != nil {
		return mutants.Result{}, err // undoes what a late client lowered
	}
	recordings := 0
	var damage error
	m.recorder = func(ctx context.Context, s harness.Scenario, c record.Config) (recording, error) {
		if mutant.Once && recordings > 1 {
			return recordWith(ctx, s, c)
		}
		doing := mutant.Begin(ctx, disruption.Stage{
			Cluster: m.cluster, Namespace: c.Lease.Name, Into: fixtures.Destination{Namespace: c.Lease.Name, Run: c.Lease.Run},
			App: s.App, Old: harness.OldVersion})
		c.Sink = doing.Sink
		made, err := recordWith(ctx, s, c)
		damage = doing.End()
		return made, err
	}
	entry := m.board.Entry(progress.Name{Mode: m.mode, Suite: "mutants", Scenario: mutant.ID})
	attemptAt := func(number, tries int, before earlier) (result, error) {
		recordings = number
		a := attempt{mode: m.run, cluster: m.cluster, suite: "mutants", entry: entry, out: t.Output(), number: number, tries: tries,
			earlier: before}
		return a.record(ctx, &s, m.folder(m.mode, "mutants", mutant.ID, number))
	}
	var v verdict.Verdict
	if mutant.Once {
		v, err = retry(s, attemptAt, func(line string) { t.Log(line) })
	} else {
		var res result
		res, err = attemptAt(1, 1, earlier{})
		v = res.verdict
	}
	entry.End(shown(v, err))
	return mutant.Judged(m.mode, v, recordings), errors.Join(err, damage)
}
