package runner

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
func (r *Runner) runTrial(ctx context.Context, out io.Writer, c cluster.Cluster) (t *evidence.Trial, err error) {
	for range 2 {
		if t, err = r.recordTrial(ctx, c); err == nil {
			break
		}
		if ctx.Err() != nil {
			return nil, err
		}
		fmt.Fprintf(out, "cluster %s: %v\n", c.Name(), err)
	}
	if err != nil {
		fmt.Fprintf(out, "cluster %s: the trial rollout showed nothing, so durations are not scaled\n", c.Name())
		return nil, nil
	}
	fmt.Fprintf(out, "cluster %s: %s\n", c.Name(), shownBy(*t))
	return t, nil
}

// shownBy returns what a trial showed, short enough for a line with the name of any cluster of ours.
func shownBy(t evidence.Trial) string {
	effect := "durations are not scaled"
	if t.Stretch > 1 {
		effect = fmt.Sprintf("durations are %d times as long", t.Stretch)
	}
	return fmt.Sprintf("trial: pods start in %.1f s, rules follow in %.1f s; %s", t.PodStart/1000, t.RuleLag/1000, effect)
}

// recordTrial rolls an app out without load on a cluster, and measures how long pods take to start and rules to follow: scenarios wait
// for both. The measurement includes the kernel, the machine and everything else that runs on it.
func (r *Runner) recordTrial(ctx context.Context, c cluster.Cluster) (*evidence.Trial, error) {
	folder, err := os.MkdirTemp("", "rollcall-trial-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	app := fixtures.App{Replicas: 2, PreStopSleep: trialDrain, OnTerm: fixtures.Drain}
	s := harness.Scenario{ID: "trial", Claim: "a rollout without load", Observed: true, Exclusive: true, App: app,
		Steps: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, harness.OldVersion)
			steps.RollOut(ctx, app, rollout.Update(harness.OldVersion, harness.NewVersion))
		}}
	a := attempt{mode: r.modeRun(c.Mode(), c), cluster: c, suite: "trial", entry: progress.Discard().Entry(progress.Name{}), out: io.Discard,
		number: 1, tries: 1}
	made, err := a.recordOnce(ctx, s, lowestRate, filepath.Join(folder, s.ID))
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
	tl, err := timeline.Join(ev)
	if err != nil {
		return nil, err
	}
	var podStart, ruleLag time.Duration
	starts, _ := tl.Intervals(evidence.PodCreated, evidence.PodReady, true)
	for _, start := range starts {
		podStart = max(podStart, start.Length)
	}
	for _, lag := range tl.RuleLags() {
		ruleLag = max(ruleLag, lag.Lag.Length)
	}
	if reasons := ev.Run.Reasons; len(reasons) > 0 {
		return nil, fmt.Errorf("the trial of cluster %s cannot be trusted: %s", c.Name(), reasons[0].Because)
	}
	if podStart == 0 {
		return nil, fmt.Errorf("the trial of cluster %s showed nothing", c.Name())
	}
	return &evidence.Trial{PodStart: float64(podStart.Milliseconds()), RuleLag: float64(ruleLag.Milliseconds()),
		Stretch: stretchOf(podStart, ruleLag)}, nil
}

// stretchOf returns how many times as long as usual a cluster takes, rounded up.
func stretchOf(podStart, ruleLag time.Duration) int {
	up := func(d, usual time.Duration) int { return int((d + usual - 1) / usual) }
	return min(mostStretch, max(1, up(podStart, harness.UsualPodStart), up(ruleLag, harness.UsualRuleLag)))
}

// trialDrain keeps an old pod for long enough to see slow rules leave it out.
const trialDrain = time.Second
