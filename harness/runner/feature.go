package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"

	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/cluster/change"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/nodeimage"
	"rollcall/harness/progress"
	"rollcall/harness/verdict"
)

// Test runs the scenarios of a suite in every mode asked for: a subtest per mode, in it a feature
// per scenario, in it an assessment per rule. In a mode this host cannot run, every scenario is
// skipped with the reason, in the test log and in the run folder.
func (r *Runner) Test(t *testing.T, suite string, all ...harness.Scenario) {
	if r.DryRun {
		r.list(t, os.Stdout, suite, all)
		return
	}
	scenarios := r.selected(all)
	if len(scenarios) == 0 {
		t.Logf("profile %s has no scenario of this suite: --profile=full has all", r.profile)
		return
	}
	ctx, stop := r.context(t)
	defer stop()
	if err := r.openSession(suite); err != nil {
		t.Fatal(err)
	}
	for _, mode := range r.modes {
		if ctx.Err() != nil {
			t.Errorf("%s: not run: %v", mode, context.Cause(ctx))
			continue
		}
		t.Run(mode, func(t *testing.T) { r.mode(ctx, t, suite, mode, scenarios) })
	}
	broken := r.Broken()
	for _, what := range broken {
		t.Error(what)
	}
	if err := errors.Join(r.closeSession(broken), r.board.Err()); err != nil {
		t.Error(err)
	}
	t.Logf("evidence: %s; `make report RUN=%s` judges it again", r.Out, r.Out)
}

// mode records the scenarios on the cluster of a mode, side by side as far as their turns come.
func (r *Runner) mode(ctx context.Context, t *testing.T, suite, mode string, scenarios []harness.Scenario) {
	open := r.open
	if r.attached == nil && !slices.ContainsFunc(scenarios, func(s harness.Scenario) bool { return s.Own == nil }) {
		open = r.openNone
	}
	c, skip, err := open(ctx, t.Output(), mode)
	if err != nil {
		t.Fatal(err)
	}
	if skip != "" {
		for _, s := range scenarios { // that -run selects
			t.Run(s.ID, func(t *testing.T) { r.skip(t, header(suite, mode, s), skip) })
		}
		return
	}
	config := envconf.New().WithParallelTestEnabled()
	if c != nil {
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
		client, err := klient.New(c.REST())
		if err != nil {
			t.Fatal(err)
		}
		config = config.WithClient(client)
	}
	environment, err := env.NewWithContext(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	var list []features.Feature
	for _, s := range scenarios {
		on := c
		if s.Own != nil && r.attached == nil {
			on = notYet{mode: mode, version: s.Own.Kubernetes}
		}
		list = append(list, r.feature(on, suite, s))
	}
	environment.TestInParallel(t, list...)
	r.awaitCleanups(ctx, c)
}

// awaitCleanups returns when nothing is left of recordings that were made.
func (r *Runner) awaitCleanups(ctx context.Context, c cluster.Cluster) {
	r.cleanups.Wait()
	if c == nil || r.Namespaces != "" || !r.began || c.Temporary() {
		return // they stay, or the parent process waits for those of all suites, or they go with the cluster
	}
	if err := r.WaitGone(ctx, c); err != nil {
		r.recordBreakage(fmt.Sprintf("%s: %v", c.Mode(), err))
	}
}

// feature is a scenario as e2e-framework sees it: recorded, joined and judged once, in its set-up;
// an assessment prints the finding about one rule.
func (r *Runner) feature(c cluster.Cluster, suite string, s harness.Scenario) features.Feature {
	var v verdict.Verdict
	f := features.New(s.ID).WithSetup("record", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		if because := r.skipReason(c, s); because != "" {
			r.skip(t, versioned(ctx, c, header(suite, c.Mode(), s)), because)
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
				reportOutcome(t, v.Findings[i].Outcome, v.Findings[i].Because)
			}
			return ctx
		})
	}
	return f.Assess("verdict", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		reportOutcome(t, v.Outcome, v.Because)
		return ctx
	}).Feature()
}

// reportOutcome makes an outcome a test result: only pass is green, only skipped is skipped.
func reportOutcome(t *testing.T, o verdict.Outcome, because string) {
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

// skip notes a scenario as skipped and ends its test.
func (r *Runner) skip(t *testing.T, run evidence.Run, because string) {
	run.Attempt, run.Tries, run.Skipped = 1, 1, because
	if err := store.Write(r.folder(run.Mode, run.Suite, run.Scenario, 1), evidence.Evidence{Run: run}); err != nil {
		t.Fatal(err)
	}
	r.board.Entry(progress.Name{Mode: run.Mode, Suite: run.Suite, Scenario: run.Scenario}).End(progress.Result{
		Outcome: verdict.Skipped.String(), Because: because})
	t.Skip(because)
}

// versioned is a run with the versions that tell whether the scenario's bug is known of the cluster, if it is about one.
func versioned(ctx context.Context, c cluster.Cluster, run evidence.Run) evidence.Run {
	if run.Bug == nil {
		return run
	}
	run.Kubernetes = c.Kubernetes()
	if versions, err := change.Versions(ctx, c, nodeimage.Component(run.Bug.Component)); err == nil { // else the API server's stands for it
		run.ComponentVersions = versions
	}
	return run
}

// skipReason says what a scenario requires and the cluster does not have, or does not let us use; empty when nothing.
func (r *Runner) skipReason(c cluster.Cluster, s harness.Scenario) string {
	if !c.Attached() {
		return ""
	}
	for _, name := range s.Requires() {
		if because := r.skipReasons[name]; because != "" {
			return because
		}
		for _, feature := range c.Features() {
			if feature.Name == name && !feature.Supported {
				return fmt.Sprintf("this cluster lacks %s: %s", feature.Name, feature.Because)
			}
		}
	}
	return ""
}
