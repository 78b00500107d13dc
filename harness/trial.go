package harness

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/progress"
	"rollcall/harness/rollout"
	"rollcall/harness/timeline"
)

// tryOut is the trial of a cluster that was just made, once more if it shows nothing. Where it shows nothing again, no time is
// stretched, which the output says.
func (r *Rig) tryOut(ctx context.Context, out io.Writer, c *cluster.Cluster) (t *evidence.Trial, err error) {
	for range 2 {
		if t, err = r.tryOnce(ctx, c); err == nil {
			break
		}
		if ctx.Err() != nil {
			return nil, err
		}
		fmt.Fprintf(out, "cluster %s: %v\n", c.Name, err)
	}
	if err != nil {
		fmt.Fprintf(out, "cluster %s: no time of a scenario is stretched, since its trial showed nothing\n", c.Name)
		return nil, nil
	}
	said := "no time of a scenario is stretched"
	if t.Stretch > 1 {
		said = fmt.Sprintf("times that grow with that are %d times as long", t.Stretch)
	}
	fmt.Fprintf(out, "cluster %s: in a trial a pod took up to %.1f s to start, and rules %.1f s to follow: %s\n", c.Name, t.PodStart/1000, t.RuleLag/1000, said)
	return t, nil
}

// tryOnce rolls an app out without load on a cluster that was just made, and measures what the cluster takes for it: what
// scenarios wait for, and so what their times have to be. The kernel, the machine and everybody else on it are in that.
func (r *Rig) tryOnce(ctx context.Context, c *cluster.Cluster) (*evidence.Trial, error) {
	folder, err := os.MkdirTemp("", "rollcall-trial-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	app := fixtures.App{Replicas: 2, PreStopSleep: trialDrain, OnTerm: fixtures.Drain}
	s := Scenario{ID: "trial", Claim: "a rollout without load", Observed: true, App: app, Walk: func(ctx context.Context, w *Walk) error {
		if err := w.Deploy(ctx, app, appVersions[0]); err != nil {
			return err
		}
		return w.RollOut(ctx, app, rollout.Update(appVersions[0], appVersions[1]))
	}}
	alone := &Rig{Options: r.Options, agents: r.agents, session: r.session, turns: &turns{oneLoad: true}} // of this cluster, beside those of other modes
	a := attempt{rig: alone, cluster: c, suite: "trial", entry: progress.Nowhere().Entry(progress.Name{}), out: io.Discard, number: 1, tries: 1}
	dir := filepath.Join(folder, s.ID)
	recorded, err := a.record(ctx, s, space{name: "rollcall-trial-" + strings.ToLower(rand.Text()[:4])}, dir, rateSteps[0])
	if recorded != nil {
		a.leave(ctx, recorded, "")
		for _, left := range alone.broken {
			r.breaks(left)
		}
	}
	if err != nil {
		return nil, err
	}
	ev, err := store.Read(dir)
	if err != nil {
		return nil, err
	}
	tl, err := timeline.Join(ev)
	if err != nil {
		return nil, err
	}
	podStart, ruleLag := podStarts(tl), time.Duration(0)
	for _, lag := range tl.RuleLags() {
		ruleLag = max(ruleLag, lag.Lag.Length)
	}
	if podStart == 0 || len(ev.Run.Distrust) > 0 {
		return nil, fmt.Errorf("the trial of cluster %s showed nothing: %v", c.Name, ev.Run.Distrust)
	}
	return &evidence.Trial{PodStart: float64(podStart.Milliseconds()), RuleLag: float64(ruleLag.Milliseconds()), Stretch: stretchOf(podStart, ruleLag)}, nil
}

// trialDrain keeps an old pod long enough for rules that are slow to be seen to leave it out.
const trialDrain = time.Second

// podStarts is the longest that a pod took from its creation until it was ready.
func podStarts(tl timeline.Timeline) (longest time.Duration) {
	created := map[string]time.Duration{}
	for _, e := range tl.Events {
		switch e.Kind {
		case evidence.PodCreated:
			created[e.By.Pod] = e.At
		case evidence.PodReady:
			if at, ok := created[e.By.Pod]; ok {
				longest = max(longest, e.At-at)
				delete(created, e.By.Pod)
			}
		}
	}
	return longest
}
