package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/record"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
)

// An attempt is one recording of a scenario.
type attempt struct {
	mode    *ModeRun
	cluster cluster.Cluster
	suite   string
	entry   *progress.Entry
	out     io.Writer
	number  int // from 1
	tries   int
	earlier []string // what attempts before came to, of which this machine was too slow to tell
}

// occupancy is how much of the cluster it takes: more, the more often this machine was too slow.
func (a attempt) occupancy(s harness.Scenario) harness.Occupancy {
	switch len(a.earlier) {
	case 0:
		return s.Occupancy()
	case 1:
		return max(s.Occupancy(), harness.LoneLoad)
	default:
		return harness.WholeCluster
	}
}

// A result is what an attempt came to.
type result struct {
	verdict  verdict.Verdict
	again    bool          // another attempt is to be made, for which the scenario may have been changed
	trusted  bool          // others may judge the recording
	podWait  timeline.Wait // the longest of a pod that served
	measured bool          // it was measured from outside who waited
}

// diagnosticsFolder is beside a recording's evidence, and has what the cluster looked like.
const diagnosticsFolder = "diagnostics"

// run records the scenario, or takes the recording of another that asks about the same rollout, and judges it.
func (a attempt) run(ctx context.Context, s *harness.Scenario) (res result, err error) {
	folder := a.mode.runner.folder(a.cluster.Mode(), a.suite, s.ID, a.number)
	if a.number > 1 {
		return a.record(ctx, s, folder)
	}
	same, err := a.mode.turns.share(ctx, *s)
	if err != nil {
		return res, err
	}
	defer same.release()
	if same.made() {
		return a.reuse(s, same, folder)
	}
	if res, err = a.record(ctx, s, folder); err == nil && res.trusted {
		same.offer(a.suite+"/"+s.ID, folder)
	}
	return res, err
}

// reuse judges the recording of another scenario that asks about the same rollout.
func (a attempt) reuse(s *harness.Scenario, same *shared, folder string) (res result, err error) {
	a.entry.Begin()
	fmt.Fprintf(a.out, "%s %s: judged from the recording of %s\n", a.cluster.Mode(), s.ID, same.scenario)
	run := a.header(s.At(harness.FullRate, a.mode.stretch())) // as that one was asked
	err = store.Relabel(same.folder, folder, func(of *evidence.Run) {
		of.Scenario, of.Suite, of.Claim, of.Covers, of.Expect = run.Scenario, run.Suite, run.Claim, run.Covers, run.Expect
		of.Attempt, of.Tries, of.Measures = run.Attempt, run.Tries, run.Measures
	})
	if err != nil {
		return res, err
	}
	return a.judge(s, folder)
}

// record records the scenario when its turn comes, with a lower rate if this machine turns out not to carry the one asked
// for, and judges it.
func (a attempt) record(ctx context.Context, s *harness.Scenario, folder string) (res result, err error) {
	name := progress.Name{Mode: a.cluster.Mode(), Suite: a.suite, Scenario: s.ID}
	release, err := a.mode.turns.acquire(ctx, a.occupancy(*s), a.mode.runner.board.Estimate(name, s.Estimate()))
	if err != nil {
		return res, err
	}
	defer release()
	if ours, err := cluster.Ours(a.cluster); err == nil && ours.Condemned() != "" { // by what was recorded before
		return res, fmt.Errorf("not recorded: the cluster will be removed: %s", ours.Condemned())
	}
	a.entry.Begin()
	defer a.entry.Pause()
	if s.Own != nil {
		own, err := a.mode.openOwn(ctx, a.out, *s.Own)
		if err != nil {
			return res, fmt.Errorf("no cluster of its own: %w", err)
		}
		a.cluster = own
		defer func() { err = errors.Join(err, own.Close()) }()
	}
	for {
		rate, jobs, _ := a.mode.runner.limits()
		asked := s.At(rate, a.mode.stretch())
		if s.Adapt != nil && a.number > 1 {
			asked.App = s.App // as it was measured here
		}
		r, err := a.recordOnce(ctx, asked, rate, folder)
		if r == nil {
			return res, err
		}
		if err == nil && r.TooMuch() != "" {
			if err := a.lowerRate(ctx, r, rate, folder); err != nil {
				return res, err
			}
			continue
		}
		if err == nil {
			res, err = a.judge(s, folder)
		}
		if !usage.Is(err) && !res.again && (err != nil || res.verdict.Outcome != verdict.Pass && res.verdict.Outcome != verdict.Skipped) {
			r.Diagnose(ctx, filepath.Join(folder, diagnosticsFolder))
		}
		a.cleanup(ctx, r, !usage.Is(err))
		if err == nil {
			err = a.adapt(rate, jobs, res)
		}
		return res, err
	}
}

// config is how the scenario is recorded, but for its namespace.
func (a attempt) config(s harness.Scenario, folder string) record.Config {
	c := record.Config{
		Cluster: a.cluster, Folder: folder, Header: a.header(s), Session: a.mode.runner.session.ID,
		Stretch: a.mode.stretch(), Images: a.mode.runner.images, PullSecret: a.mode.runner.PullSecret, Entry: a.entry, Out: a.out,
		Spend: func(part evidence.Part) func() { return a.mode.runner.spend(a.span(part, s)) },
	}
	if a.mode.runner.FromHost {
		c.Cluster = nil
	}
	return c
}

func (a attempt) span(part evidence.Part, s harness.Scenario) evidence.Span {
	return evidence.Span{Part: part, Mode: a.cluster.Mode(), Suite: a.suite, Scenario: s.ID}
}

// lowerRate forgets a recording whose load was too much, and has the next one made with less.
func (a attempt) lowerRate(ctx context.Context, r *leased, rate int, folder string) error {
	a.cleanup(ctx, r, false)
	now, err := a.mode.runner.lowerRate(rate, r.TooMuch())
	if err = errors.Join(err, os.RemoveAll(folder)); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s %s: begun again with %d requests per second and lane instead of %d: %s\n",
		a.cluster.Mode(), r.scenario.ID, now, rate, r.TooMuch())
	return nil
}

// How long a pod that serves waits for a processor, at most, in a second: from crowded on less goes on side by side, half of what a
// reply may be late by until that counts, and up to calm more does.
const (
	crowded = 500 * time.Millisecond
	calm    = 100 * time.Millisecond
)

// adapt takes from what a recording showed of this machine how the next ones are made.
func (a attempt) adapt(rate, jobs int, res result) error {
	v := res.verdict
	switch {
	case v.Retry == verdict.LowerRate:
		now, err := a.mode.runner.lowerRate(rate, v.Headline)
		if err == nil && now == rate { // the lowest
			err = a.mode.runner.lowerJobs(jobs, v.Headline)
		}
		return err
	case v.Retry == verdict.FewerJobs:
		return a.mode.runner.lowerJobs(jobs, v.Headline)
	case res.podWait.Waited >= crowded:
		return a.mode.runner.lowerJobs(jobs, res.podWait.String())
	case v.Outcome == verdict.Pass && res.measured && 0 < res.podWait.Waited && res.podWait.Waited < calm: // it was under load
		return a.mode.runner.raiseJobs(jobs)
	}
	return nil
}

// judge judges a recording, and says whether there is to be another one, for which it may change the scenario, and whether
// others may judge this one.
func (a attempt) judge(s *harness.Scenario, folder string) (res result, err error) {
	ev, err := store.Read(folder)
	if err != nil {
		return res, err
	}
	tl, err := timeline.Join(ev)
	if err != nil {
		return res, err
	}
	res.verdict, res.podWait, res.measured = verdict.Judge(ev.Run, tl), tl.PodWait(), tl.Measured()
	decides := ev.Run // and does not only measure, for which clients may be late
	decides.Measures = false
	judged := verdict.Judge(decides, tl)
	res.trusted = len(judged.Distrust) == 0 && judged.Retry == verdict.NoRetry
	switch {
	case a.number >= a.tries || res.verdict.Distrusted || res.verdict.Outcome == verdict.Skipped:
		return res, nil
	case s.Adapt == nil:
		res.again = res.verdict.Unmet
		return res, nil
	}
	app, err := s.Adapt(s.App, tl)
	if err != nil {
		res.verdict.Because += ": " + err.Error()
		return res, nil
	}
	s.App, res.again = app, true
	return res, nil
}

// header is what is known of the attempt before it begins.
func (a attempt) header(s harness.Scenario) evidence.Run {
	run := header(a.suite, a.cluster.Mode(), s)
	run.Attempt, run.Tries, run.Earlier, run.Kubernetes = a.number, a.tries, a.earlier, a.cluster.Kubernetes()
	run.Measures = s.Adapt != nil && a.number == 1
	return run
}

// header is what is known of a run before it begins.
func header(suite, mode string, s harness.Scenario) evidence.Run {
	run := evidence.Run{Schema: evidence.SchemaVersion, Scenario: s.ID, Suite: suite, Mode: mode,
		Claim: s.Claim, Covers: s.Covers(), Expect: s.Expect, Bug: s.Bug}
	for _, change := range s.ClusterChanges {
		run.ClusterChanges = append(run.ClusterChanges, change.String())
	}
	return run
}

func (r *Runner) folder(mode, suite, id string, attempt int) string {
	return evidence.ScenarioFolder(r.Out, mode, suite, id, attempt)
}
