package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
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
	earlier earlier
}

// occupancy returns the occupancy of the attempt: with each earlier one, fewer recordings may run beside it.
func (a attempt) occupancy(s harness.Scenario) harness.Occupancy {
	switch len(a.earlier.results) {
	case 0:
		return s.Occupancy()
	case 1:
		return max(s.Occupancy(), harness.LoneLoad)
	default:
		return harness.WholeCluster
	}
}

// A result is the outcome of an attempt.
type result struct {
	verdict  verdict.Verdict
	again    bool          // another attempt is to be made; the scenario may have been changed for it
	trusted  bool          // other scenarios may judge the recording
	podWait  timeline.Wait // the longest of a pod that served
	measured bool          // waits for a processor were measured from outside the pods
}

// run records the scenario, or uses the recording that another scenario has of the same rollout, and judges it.
func (a attempt) run(ctx context.Context, s *harness.Scenario) (res result, err error) {
	folder := a.mode.run.folder(a.cluster.Mode(), a.suite, s.ID, a.number)
	if a.number > 1 {
		return a.record(ctx, s, folder)
	}
	same, err := a.mode.turns.share(ctx, *s)
	if err != nil {
		return res, err
	}
	defer same.release()
	if same.folder != "" {
		return a.reuse(s, same, folder)
	}
	if res, err = a.record(ctx, s, folder); err == nil && res.trusted {
		same.scenario, same.folder = a.suite+"/"+s.ID, folder
	}
	return res, err
}

// reuse judges the recording that another scenario has of the same rollout.
func (a attempt) reuse(s *harness.Scenario, same *shared, folder string) (res result, err error) {
	a.entry.Begin()
	fmt.Fprintf(a.out, "%s %s: judged from the recording of %s\n", a.cluster.Mode(), s.ID, same.scenario)
	run := a.header(s.At(harness.FullRate, a.mode.stretch())) // like the other scenario's
	err = store.Relabel(same.folder, folder, func(of *evidence.Run) {
		of.Scenario, of.Suite, of.Claim, of.Covers, of.Expect = run.Scenario, run.Suite, run.Claim, run.Covers, run.Expect
		of.Attempt, of.Tries, of.Measures = run.Attempt, run.Tries, run.Measures
	})
	if err != nil {
		return res, err
	}
	return a.judge(s, folder)
}

// record waits for a turn, records the scenario, again with a lower rate as long as the load is too much for this machine,
// and judges the recording. The next one has its turn as soon as this one is at rest: what was seen is collected and judged beside it.
func (a attempt) record(ctx context.Context, s *harness.Scenario, folder string) (res result, err error) {
	name := progress.Name{Mode: a.cluster.Mode(), Suite: a.suite, Scenario: s.ID}
	release, err := a.mode.turns.acquire(ctx, a.occupancy(*s), a.mode.run.board.Estimate(name, s.Estimate()))
	if err != nil {
		return res, err
	}
	release = sync.OnceFunc(release)
	defer release()
	collected := func() {}
	defer func() { collected() }()
	rested := func() {
		if a.occupancy(*s) != harness.WholeCluster && !a.mode.turns.oneService {
			collected = a.mode.turns.cleanup() // what needs the whole cluster waits for it
			release()
		}
	}
	a.entry.Begin()
	defer a.entry.Pause()
	load := s.UnderLoad()
	if load.FreshCluster != nil {
		fresh, err := a.mode.openFresh(ctx, a.out, *load.FreshCluster)
		if err != nil {
			return res, fmt.Errorf("no fresh cluster: %w", err)
		}
		a.cluster = fresh
		defer func() { err = errors.Join(err, fresh.Close()) }()
	}
	for {
		if ours, err := cluster.Ours(a.cluster); err == nil && ours.Condemned() != "" { // by an earlier recording
			return res, fmt.Errorf("not recorded: the cluster will be removed: %s", ours.Condemned())
		}
		rate, jobs, _ := a.mode.run.limits()
		asked := s.At(rate, a.mode.stretch())
		asked.Limits = slices.Concat(s.Limits, lowered(asked.UnderLoad(), s.At(a.mode.run.Rate, 1).UnderLoad()))
		if load.Adapt != nil && a.number > 1 {
			asked.App = s.App // by Adapt, from a measurement here, which needs no stretching
		}
		r, err := a.recordOnce(ctx, asked, rate, folder, rested)
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
			r.Diagnose(ctx, filepath.Join(folder, evidence.DiagnosticsFolder))
		}
		a.cleanup(ctx, r, !usage.Is(err))
		if err == nil {
			err = a.adapt(rate, jobs, res)
		}
		return res, err
	}
}

// config returns the settings for recording the scenario, without its namespace.
func (a attempt) config(s harness.Scenario, folder string) record.Config {
	c := record.Config{
		Cluster: a.cluster, Folder: folder, Header: a.header(s), Session: a.mode.run.session.ID,
		Stretch: a.mode.stretch(), Images: a.mode.run.images, PullSecret: a.mode.run.Options.PullSecret, Entry: a.entry, Out: a.out,
		Spend: func(part evidence.Part) func() { return a.mode.run.spend(a.span(part, s)) },
	}
	if a.mode.run.Options.FromHost {
		c.Cluster = nil
	}
	return c
}

func (a attempt) span(part evidence.Part, s harness.Scenario) evidence.Span {
	return evidence.Span{Part: part, Mode: a.cluster.Mode(), Suite: a.suite, Scenario: s.ID}
}

// lowerRate deletes a recording whose load was too much, and lowers the rate of the session.
func (a attempt) lowerRate(ctx context.Context, r *leased, rate int, folder string) error {
	a.cleanup(ctx, r, false)
	now, err := a.mode.run.lowerRate(rate, r.TooMuch())
	if err = errors.Join(err, os.RemoveAll(folder)); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s %s: begun again with %d requests per second and lane instead of %d: %s\n",
		a.cluster.Mode(), r.scenario.ID, now, rate, r.TooMuch())
	return nil
}

// Limits for the longest time in one second that a pod that serves waits for a processor. From crowded on, which is half of what
// makes a reply count as late, fewer recordings run side by side; below calm, more do.
const (
	crowded = 500 * time.Millisecond
	calm    = 100 * time.Millisecond
)

// adapt changes the rate, or the number of recordings side by side, after what a recording showed of this machine.
func (a attempt) adapt(rate, jobs int, res result) error {
	v := res.verdict
	switch {
	case v.Retry == verdict.LowerRate:
		now, err := a.mode.run.lowerRate(rate, v.Headline)
		if err == nil && now == rate { // the lowest
			err = a.mode.run.lowerJobs(jobs, v.Headline)
		}
		return err
	case v.Retry == verdict.FewerJobs:
		return a.mode.run.lowerJobs(jobs, v.Headline)
	case res.podWait.Waited >= crowded:
		return a.mode.run.lowerJobs(jobs, res.podWait.String())
	case v.Outcome == verdict.Pass && res.measured && 0 < res.podWait.Waited && res.podWait.Waited < calm: // 0: without load
		return a.mode.run.raiseJobs(jobs)
	}
	return nil
}

// judge judges a recording. The result says whether another attempt is to be made, for which it may change the scenario, and
// whether other scenarios may judge this recording.
func (a attempt) judge(s *harness.Scenario, folder string) (res result, err error) {
	rec, err := a.mode.run.reading.judge(folder)
	if err != nil {
		return res, err
	}
	if err := rec.Keep(); err != nil {
		fmt.Fprintf(a.out, "%s %s: %v\n", a.cluster.Mode(), s.ID, err) // a report judges it again
	}
	tl := rec.Timeline
	res.verdict, res.podWait, res.measured = rec.Verdict, tl.PodWait(), tl.Measured()
	// When a recording only measures, late clients are allowed.
	res.trusted = !rec.Run.Measures && len(res.verdict.Distrust) == 0 && res.verdict.Retry == verdict.NoRetry
	adapt := s.UnderLoad().Adapt
	switch {
	case a.number >= a.tries || res.verdict.Distrusted || res.verdict.Outcome == verdict.Skipped:
		return res, nil
	case adapt == nil:
		res.again = res.verdict.Unmet
		return res, nil
	}
	app, err := adapt(s.App, tl)
	if err != nil {
		res.verdict.Because += ": " + err.Error()
		return res, nil
	}
	s.App, res.again = app, true
	return res, nil
}

// header returns run.json as far as it is known before the attempt.
func (a attempt) header(s harness.Scenario) evidence.Run {
	run := header(a.suite, a.cluster.Mode(), s)
	run.Attempt, run.Tries, run.Kubernetes = a.number, a.tries, a.cluster.Kubernetes()
	run.Earlier, run.FailedEarlier = a.earlier.results, a.earlier.failed
	run.Measures = s.UnderLoad().Adapt != nil && a.number == 1
	for _, x := range s.Expect {
		if x.Needs != "" && !slices.ContainsFunc(run.Lacks, func(f evidence.Feature) bool { return f.Name == x.Needs }) {
			run.Lacks = append(run.Lacks, lackOf(a.cluster, x.Needs)...)
		}
	}
	return run
}

// lackOf returns a feature if the cluster is known not to have it.
func lackOf(c cluster.Capabilities, name string) []evidence.Feature {
	return slices.DeleteFunc(slices.Clone(c.Features()), func(f evidence.Feature) bool { return f.Name != name || f.Supported })
}

// header returns what run.json says of a scenario, whatever the attempt.
func header(suite, mode string, s harness.Scenario) evidence.Run {
	run := evidence.Run{Schema: evidence.SchemaVersion, Scenario: s.ID, Suite: suite, Mode: mode,
		Claim: s.Claim, Covers: s.Covers(), Expect: s.Expect, Bug: s.Bug}
	for _, change := range s.ClusterChanges {
		run.ClusterChanges = append(run.ClusterChanges, change.String())
	}
	return run
}

func (r *Run) folder(mode, suite, id string, attempt int) string {
	return evidence.ScenarioFolder(r.Folder, mode, suite, id, attempt)
}
