package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/timeline"
)

const mostStretch = 10

// runTrial runs the trial of a cluster, once more if it shows nothing. If it shows nothing again, it prints that durations are not
// scaled, and returns nil.
func (r *Run) runTrial(ctx context.Context, out io.Writer, c cluster.Cluster) (t *evidence.Trial, err error) {
	of := "cluster " + c.Name() + ": "
	if c.Attached() { // the only one of the run, whose name may be long
		of = ""
	}
	for range 2 {
		if t, err = r.recordTrial(ctx, c); err == nil {
			break
		}
		if ctx.Err() != nil {
			return nil, err
		}
		fmt.Fprintf(out, "%s%v\n", of, err)
	}
	if err != nil {
		fmt.Fprintf(out, "%sthe trial rollout showed nothing, so durations are not scaled\n", of)
		return nil, nil
	}
	fmt.Fprintf(out, "%s%s\n", of, shownBy(*t))
	return t, nil
}

// shownBy returns what a trial showed, short enough for a line with the name of any cluster of ours.
func shownBy(t evidence.Trial) string {
	effect := "durations are not scaled"
	if t.Stretch > 1 {
		effect = fmt.Sprintf("durations are %d times as long", t.Stretch)
	}
	follow := "rules"
	if t.ByClients {
		follow = "clients"
	}
	return fmt.Sprintf("trial: pods start in %.1f s, %s follow in %.1f s; %s", t.PodStart/1000, follow, t.RuleLag/1000, effect)
}

// recordTrial rolls an app out on a cluster, and measures how long pods take to start and rules to follow: scenarios wait for both. The
// measurement includes the kernel, the machine and everything else that runs on it.
func (r *Run) recordTrial(ctx context.Context, c cluster.Cluster) (*evidence.Trial, error) {
	folder, err := os.MkdirTemp("", "rollcall-trial-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	s := trialOf(c.CannotObserve() == "")
	a := attempt{mode: r.modeRun(c.Mode(), c), cluster: c, suite: "trial", entry: progress.Discard().Entry(progress.Name{}), out: io.Discard,
		number: 1, tries: 1}
	made, err := a.recordOnce(ctx, s, lowestRate, filepath.Join(folder, s.ID), func() {})
	if made != nil {
		a.cleanup(ctx, made, false)
	}
	if err != nil {
		return nil, err
	}
	ev, err := store.Read(filepath.Join(folder, s.ID))
	if err != nil {
		return nil, err
	}
	return newTrial(c.Name(), ev)
}

// trialOf returns the trial of a cluster: without load where nodes' rules are observed. Elsewhere clients show when nodes have followed;
// for that, old pods answer for longer than rules may take on a cluster whose durations are stretched most.
func trialOf(observed bool) harness.Scenario {
	app := fixtures.App{Replicas: 2, PreStopSleep: trialDrain, OnTerm: fixtures.Drain}
	s := harness.Scenario{ID: "trial", Claim: "a rollout before the first scenario", Exclusive: true, App: app}
	update := rollout.Update(harness.OldVersion, harness.NewVersion)
	if observed {
		s.Kind = harness.InSteps{Observed: true, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, harness.OldVersion)
			steps.RollOut(ctx, app, update)
		}}
		return s
	}
	s.App.PreStopSleep = mostStretch * harness.UsualRuleLag
	s.Kind = harness.UnderLoad{Rate: trialRate, Rollout: update}
	return s.At(harness.FullRate, 1)
}

// newTrial returns what the recording of a trial shows.
func newTrial(cluster string, ev evidence.Evidence) (*evidence.Trial, error) {
	tl, err := timeline.Join(ev)
	if err != nil {
		return nil, err
	}
	if reasons := ev.Run.Reasons; len(reasons) > 0 {
		return nil, fmt.Errorf("the trial of cluster %s cannot be trusted: %s", cluster, reasons[0].Because)
	}
	t := evidence.Trial{ByClients: !ev.Run.Unloaded}
	lags := tl.RuleLags()
	if t.ByClients {
		lags = tl.DrainLags()
	}
	var podStart, ruleLag time.Duration
	starts, _ := tl.Intervals(evidence.PodCreated, evidence.PodReady, true)
	for _, start := range starts {
		podStart = max(podStart, start.Length)
	}
	for _, lag := range lags {
		ruleLag = max(ruleLag, lag.Lag.Length)
	}
	if podStart == 0 {
		return nil, fmt.Errorf("the trial of cluster %s showed nothing", cluster)
	}
	t.PodStart, t.RuleLag, t.Stretch = float64(podStart.Milliseconds()), float64(ruleLag.Milliseconds()), stretchOf(podStart, ruleLag)
	return &t, nil
}

// stretchOf returns how many times as long as usual a cluster takes, rounded up.
func stretchOf(podStart, ruleLag time.Duration) int {
	up := func(d, usual time.Duration) int { return int((d + usual - 1) / usual) }
	return min(mostStretch, max(1, up(podStart, harness.UsualPodStart), up(ruleLag, harness.UsualRuleLag)))
}

const (
	trialDrain = time.Second // keeps an old pod for long enough to see slow rules leave it out
	trialRate  = 25          // requests per second and lane: they see a lag as exactly as it matters
)
