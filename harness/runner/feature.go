package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/nodeimage"
	"example.com/rollcall/harness/verdict"
)

// Test runs the scenarios of a suite in every mode of the options: a subtest per mode, in it a feature
// per scenario, in that an assessment per rule. In a mode that this host cannot run, every scenario is
// skipped with the reason, in the test log and in the run folder.
func (r *Runner) Test(t *testing.T, suite string, all ...harness.Scenario) {
	scenarios := r.inProfile(all)
	if len(scenarios) == 0 {
		t.Logf("profile %s has no scenario of this suite: --profile=full has all", r.profile)
		return
	}
	if r.DryRun {
		for _, mode := range r.modes {
			t.Run(mode, func(t *testing.T) { r.list(t, suite, scenarios) })
		}
		return
	}
	ctx, stop := r.context(t)
	defer stop()
	if err := r.openSession(ctx, suite); err != nil {
		t.Fatal(err)
	}
	for _, mode := range r.modes {
		if ctx.Err() != nil {
			t.Errorf("%s: not run: %v", mode, context.Cause(ctx))
			continue
		}
		t.Run(mode, func(t *testing.T) { r.mode(ctx, t, suite, mode, scenarios) })
	}
	for _, what := range r.Broken() {
		t.Error(what)
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
	t.Logf("evidence: %s; `make report RUN=%s` judges it again", r.Out, r.Out)
}

// mode records the scenarios on the cluster of a mode, side by side as far as their turns allow.
func (r *Runner) mode(ctx context.Context, t *testing.T, suite, mode string, scenarios []harness.Scenario) {
	shared := slices.ContainsFunc(scenarios, func(s harness.Scenario) bool { return !r.apart(s) })
	m, skip, err := r.Open(ctx, t.Output(), mode, !shared)
	if err != nil {
		t.Fatal(err)
	}
	if skip != "" {
		for _, s := range scenarios { // that -run selects
			t.Run(s.ID, func(t *testing.T) {
				if err := r.Skip(suite, mode, s, skip); err != nil {
					t.Fatal(err)
				}
				t.Skip(skip)
			})
		}
		return
	}
	t.Cleanup(func() {
		if err := m.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	environment, err := env.NewWithContext(ctx, cmp.Or(r.framework, envconf.New()).WithParallelTestEnabled())
	if err != nil {
		t.Fatal(err)
	}
	var list []features.Feature
	for _, s := range scenarios {
		list = append(list, m.feature(suite, s))
	}
	environment.TestInParallel(t, list...)
}

// A selection is the configuration of e2e-framework, whose flags select features.
type selection = *envconf.Config

// parseFlags parses the command line: our flags, and those by which e2e-framework selects features.
func (r *Runner) parseFlags() (err error) {
	r.framework, err = envconf.NewFromFlags()
	return err
}

// list has the scenarios named that -run and the framework's flags select, by the subtests of go test -v, and does nothing else.
func (r *Runner) list(t *testing.T, suite string, scenarios []harness.Scenario) {
	environment, err := env.NewWithContext(t.Context(), cmp.Or(r.framework, envconf.New()).WithDryRunMode())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		environment.Test(t, labelled(suite, s).Feature())
	}
}

// labelled returns a feature with the labels that the framework's flags select by: suite, profile, claim and needs.
func labelled(suite string, s harness.Scenario) *features.FeatureBuilder {
	f := features.New(s.ID).WithLabel("suite", suite).WithLabel("profile", string(cmp.Or(s.Profile, harness.Full)))
	for _, claim := range s.Covers() {
		f = f.WithLabel("claim", claim)
	}
	for _, need := range s.Needs() {
		f = f.WithLabel("needs", need)
	}
	return f
}

// feature returns the scenario as a feature of e2e-framework: it is recorded and judged in the set-up,
// and each assessment reports the finding of one rule.
func (m *ModeRun) feature(suite string, s harness.Scenario) features.Feature {
	var v verdict.Verdict
	f := labelled(suite, s).WithSetup("record", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		var err error
		if v, err = m.Record(ctx, t.Output(), suite, s); err != nil {
			t.Error(err)
		}
		if v.Outcome == verdict.Skipped && len(v.Findings) == 0 {
			t.Skip(v.Because)
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

// reportOutcome turns an outcome into a test result: only pass is green, only skipped is skipped.
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

// versioned adds the versions that tell whether the cluster has the bug that the scenario is about, if it is about one.
func versioned(ctx context.Context, c cluster.Cluster, run evidence.Run) evidence.Run {
	if run.Bug == nil {
		return run
	}
	run.Kubernetes = c.Kubernetes()
	if versions, err := change.Versions(ctx, c, nodeimage.Component(run.Bug.Component)); err == nil { // else the API server's counts
		run.ComponentVersions = versions
	}
	return run
}

// skipReason returns why the cluster lacks something that a scenario requires, does not let us use it, or has another version than those
// that it is about; empty if nothing is in the way.
func (r *Runner) skipReason(c cluster.Cluster, s harness.Scenario) string {
	if !c.Attached() {
		return ""
	}
	if because := verdict.OtherRelease(s.Expect, c.Kubernetes()); because != "" {
		return because
	}
	for _, name := range s.Requires() {
		if because := r.attached.Forbidden(name); because != "" {
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
