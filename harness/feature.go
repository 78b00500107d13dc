package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/progress"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
)

// Test runs the scenarios of a suite in every mode asked for: a subtest per mode, in it a feature
// per scenario, in it an assessment per rule. In a mode this host cannot run, every scenario is
// skipped with the reason, in the test log and in the run folder.
func (r *Rig) Test(t *testing.T, suite string, scenarios ...Scenario) {
	if r.DryRun {
		r.list(t, os.Stdout, suite, scenarios)
		return
	}
	ctx, stop := r.context(t)
	defer stop()
	if _, _, err := r.FindPace(ctx, t.Output()); err != nil {
		t.Fatal(err)
	}
	if err := r.openSession(suite); err != nil {
		t.Fatal(err)
	}
	for _, mode := range r.modes {
		if ctx.Err() != nil {
			t.Errorf("%s: not run: %v", mode, context.Cause(ctx))
			continue
		}
		t.Run(mode, func(t *testing.T) {
			c, skip, err := r.open(ctx, t.Output(), mode)
			if err != nil {
				t.Fatal(err)
			}
			if skip != "" {
				r.skip(t, suite, mode, skip, scenarios)
				return
			}
			t.Cleanup(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
			client, err := klient.New(c.REST)
			if err != nil {
				t.Fatal(err)
			}
			environment, err := env.NewWithContext(ctx, envconf.New().WithClient(client).WithParallelTestEnabled())
			if err != nil {
				t.Fatal(err)
			}
			r.walking = make(chan struct{}, WalksAtOnce(r.pace))
			var walks []features.Feature
			for _, s := range scenarios {
				if !s.alone() {
					walks = append(walks, r.feature(c, suite, s))
				}
			}
			environment.TestInParallel(t, walks...)
			for _, s := range scenarios {
				if s.alone() {
					environment.Test(t, r.feature(c, suite, s))
				}
			}
			if r.Namespaces != "" || cluster.Lent(c.Name) {
				return // they stay, or our parent waits for all suites' at its end
			}
			if err := r.Vacated(ctx, c); err != nil {
				r.breaks(fmt.Sprintf("%s: %v", mode, err))
			}
		})
	}
	for _, left := range r.broken {
		t.Error(left)
	}
	if err := errors.Join(r.closeSession(r.broken), r.board.Err()); err != nil {
		t.Error(err)
	}
	t.Logf("evidence: %s; `make report RUN=%s` judges it again", r.Out, r.Out)
}

// WalksAtOnce bounds the scenarios that run side by side: they wait more than they work, but the
// pods they start compete for a small machine, and following each pod's log takes one of the host's inotify
// instances, of which many hosts have 128. At the slow pace one of them leaves the machine nothing to do for another.
func WalksAtOnce(p evidence.Pace) int {
	if p == evidence.SlowPace {
		return 1
	}
	return 3
}

// breaks notes what went wrong outside a recording.
func (r *Rig) breaks(what string) {
	r.breaking.Lock()
	defer r.breaking.Unlock()
	r.broken = append(r.broken, what)
}

// feature is a scenario as e2e-framework sees it: recorded, joined and judged once, in its set-up;
// an assessment prints the finding about one rule.
func (r *Rig) feature(c *cluster.Cluster, suite string, s Scenario) features.Feature {
	var v verdict.Verdict
	f := features.New(s.ID).WithSetup("record", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		if because := r.lacks(c, s); because != "" {
			r.skipOne(t, suite, c.Mode, because, s)
		}
		if !s.alone() {
			r.walking <- struct{}{}
			defer func() { <-r.walking }()
		}
		var err error
		if v, err = r.recordAndJudge(ctx, c, suite, s, t.Output()); err != nil {
			t.Error(err)
		}
		return ctx
	})
	for i, e := range s.Expect {
		f = f.Assess(strings.TrimSpace(e.Rule+" "+e.Fact), func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			if i < len(v.Findings) {
				tell(t, v.Findings[i].Outcome, v.Findings[i].Because)
			}
			return ctx
		})
	}
	return f.Assess("verdict", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		tell(t, v.Outcome, v.Because)
		return ctx
	}).Feature()
}

// tell makes an outcome a test result: only pass is green, only skipped is skipped.
func tell(t *testing.T, o verdict.Outcome, because string) {
	line := fmt.Sprintf("%s: %s", o, because)
	switch o {
	case verdict.Pass:
		t.Log(line)
	case verdict.Skipped:
		t.Skip(line)
	default:
		t.Error(line)
	}
}

// recordAndJudge records a scenario, again up to its tries while a negative control that can be
// trusted saw nothing, or once more as the first recording has it, and judges the last one. One whose own
// clients were late and which would not have failed is made once more; that it was stays in the run folder and in how many
// attempts are reported. It judges what is on disk, as any replay will.
func (r *Rig) recordAndJudge(ctx context.Context, c *cluster.Cluster, suite string, s Scenario, out io.Writer) (v verdict.Verdict, err error) {
	entry := r.board.Begin(progress.Name{Mode: c.Mode, Suite: suite, Scenario: s.ID})
	defer func() { entry.End(v.Outcome.String(), v.Because) }()
	s = s.at(r.pace)
	tries := max(1, s.Tries)
	if s.Then != nil {
		tries = 2
	}
	late := false // one was
	for attempt := 1; attempt <= tries; attempt++ {
		run := header(suite, c.Mode, s)
		run.Attempt, run.Tries, run.Kubernetes, run.Pace = attempt, tries, c.Kubernetes, r.pace
		run.Measures = s.Then != nil && attempt == 1
		folder := r.folder(c.Mode, suite, s.ID, attempt)
		sp, err := r.spaces.take(ctx)
		if err != nil {
			return v, err
		}
		recorded, err := r.record(ctx, c, s, sp, folder, run, entry, out)
		if recorded == nil {
			r.spaces.put(sp)
			return v, err
		}
		again := false
		if err == nil {
			v, again, err = r.weigh(&s, folder, attempt < tries)
		}
		if v.Late && !late {
			late, again = true, true
			tries++
		}
		if (err != nil || v.Outcome != verdict.Pass && v.Outcome != verdict.Skipped) && !again {
			recorded.diagnose(ctx, filepath.Join(folder, diagnostics))
		}
		if left := recorded.leave(context.WithoutCancel(ctx), folder); left != nil {
			r.breaks(fmt.Sprintf("%s %s: %v", c.Mode, s.ID, left))
			fmt.Fprintln(out, left)
		}
		r.spaces.put(sp)
		if err != nil {
			return v, err
		}
		if again && run.Measures {
			fmt.Fprintf(out, "%s %s: measured; what follows counts\n", c.Mode, s.ID)
			continue
		}
		fmt.Fprintf(out, "%s %s: %s: %s\n", c.Mode, s.ID, v.Outcome, v.Because)
		if !again {
			break
		}
		if v.Late {
			fmt.Fprintf(out, "%s %s: recorded once more, for its clients were late\n", c.Mode, s.ID)
		}
	}
	return v, nil
}

// weigh judges a recording and says whether there is to be another one, for which it may change the scenario.
func (r *Rig) weigh(s *Scenario, folder string, more bool) (v verdict.Verdict, again bool, err error) {
	ev, err := evidence.Read(folder)
	if err != nil {
		return v, false, err
	}
	tl, err := timeline.Join(ev)
	if err != nil {
		return v, false, err
	}
	v = verdict.Judge(ev.Run, tl)
	switch {
	case !more || v.Distrusted || v.Outcome == verdict.Skipped:
		return v, false, nil
	case s.Then == nil:
		return v, v.Outcome == verdict.Inconclusive, nil
	}
	app, err := s.Then(s.App, tl)
	if err != nil {
		v.Because += ": " + err.Error()
		return v, false, nil
	}
	s.App = app
	return v, true, nil
}

// skip notes every scenario that -run selects as skipped in a mode.
func (r *Rig) skip(t *testing.T, suite, mode, because string, scenarios []Scenario) {
	for _, s := range scenarios {
		t.Run(s.ID, func(t *testing.T) { r.skipOne(t, suite, mode, because, s) })
	}
}

// skipOne notes a scenario as skipped and ends its test.
func (r *Rig) skipOne(t *testing.T, suite, mode, because string, s Scenario) {
	run := header(suite, mode, s)
	run.Attempt, run.Tries, run.Skipped = 1, 1, because
	if err := evidence.Write(r.folder(mode, suite, s.ID, 1), evidence.Evidence{Run: run}); err != nil {
		t.Fatal(err)
	}
	r.board.Begin(progress.Name{Mode: mode, Suite: suite, Scenario: s.ID}).End(verdict.Skipped.String(), because)
	t.Skip(because)
}

// lacks says what a scenario needs and the cluster does not have, or does not let us use; empty when nothing.
func (r *Rig) lacks(c *cluster.Cluster, s Scenario) string {
	if !c.Attached() {
		return ""
	}
	for _, use := range s.uses() {
		if because := r.costs[use]; because != "" {
			return because
		}
		for _, feature := range c.Features() {
			if feature.Name == use && !feature.Supported {
				return fmt.Sprintf("this cluster lacks %s: %s", feature.Name, feature.Because)
			}
		}
	}
	return ""
}

// Vacated returns when no namespace that suites made is left in a cluster, also after ctx has ended.
func (r *Rig) Vacated(ctx context.Context, c *cluster.Cluster) error {
	return vacated(context.WithoutCancel(ctx), c.Client, r.ours())
}

// ours selects the namespaces to wait for: all of Rollcall's on a cluster of our own, those of the run on another's.
func (r *Rig) ours() metav1.ListOptions {
	if r.attached != nil {
		return fixtures.OfRun(r.session.ID)
	}
	return fixtures.Ours()
}

// header is what is known of a run before it begins.
func header(suite, mode string, s Scenario) evidence.Run {
	run := evidence.Run{Schema: evidence.SchemaVersion, Scenario: s.ID, Suite: suite, Mode: mode,
		Claim: s.Claim, Covers: s.Covers, Expect: s.Expect}
	for _, change := range s.Given {
		run.Given = append(run.Given, change.String())
	}
	return run
}

func (r *Rig) folder(mode, suite, id string, attempt int) string {
	if attempt > 1 {
		id = fmt.Sprintf("%s-%d", id, attempt)
	}
	return filepath.Join(r.Out, "evidence", mode, suite, id)
}
