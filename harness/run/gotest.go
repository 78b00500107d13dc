package run

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/verdict"
)

// A Suite runs the scenarios of one suite under go test. Its zero value is ready for Main.
type Suite struct {
	Options
	Out string // run folder; empty: a new one below out/ in the module

	plan      Plan
	framework *envconf.Config // of e2e-framework, whose flags select features
}

// Main is the body of a suite's TestMain: it parses the flags, makes the plan, runs the tests and returns the exit code, which is 2 for bad
// input, before anything is created.
func (s *Suite) Main(m *testing.M) int {
	s.List().Register(flag.CommandLine)
	flag.StringVar(&s.Out, "out", "", "run `folder` to write evidence to (default a new one below out/)")
	var err error
	if s.framework, err = envconf.NewFromFlags(); err == nil { // it parses the command line
		s.plan, err = NewPlan(s.Options)
	}
	if err == nil && s.Out != "" {
		s.Out, err = filepath.Abs(s.Out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return m.Run()
}

// Test runs the scenarios of a suite in every mode of the options: a subtest per mode, in it a feature
// per scenario, in that an assessment per rule. In a mode that this host cannot run, every scenario is
// skipped with the reason, in the test log and in the run folder.
func (s *Suite) Test(t *testing.T, suite string, all ...harness.Scenario) {
	scenarios := s.plan.inProfile(all)
	if len(scenarios) == 0 {
		t.Logf("profile %s has no scenario of this suite: --profile=full has all", s.plan.Profile)
		return
	}
	if s.plan.Options.DryRun {
		for _, mode := range s.plan.Modes {
			t.Run(mode, func(t *testing.T) { s.list(t, suite, scenarios) })
		}
		return
	}
	ctx, stop := untilDeadline(t)
	defer stop()
	s.plan.Options.RPCs = slices.ContainsFunc(scenarios, harness.Scenario.SendsRPCs)
	r, err := s.begin(ctx, suite)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range s.plan.Modes {
		if ctx.Err() != nil {
			t.Errorf("%s: not run: %v", mode, context.Cause(ctx))
			continue
		}
		t.Run(mode, func(t *testing.T) { s.mode(ctx, t, r, suite, mode, scenarios) })
	}
	for _, what := range r.Broken() {
		t.Error(what)
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
	t.Logf("evidence: %s; `make report RUN=%s` judges it again", r.Folder, r.Folder)
}

// begin begins to do the plan in the run folder, which is a new one unless the options name one.
func (s *Suite) begin(ctx context.Context, suite string) (*Run, error) {
	folder := s.Out
	if folder == "" {
		var err error
		if folder, err = NewFolder(s.plan.Layout.Runs(), "-"+suite); err != nil {
			return nil, err
		}
	}
	session := s.plan.NewSession(folder)
	session.Command = strings.Join(os.Args, " ")
	for _, variable := range s.List().Secrets() {
		_, token, _ := strings.Cut(variable, "=")
		session.Command = strings.ReplaceAll(session.Command, token, "(secret)")
	}
	session.Command = secret.URLs(session.Command)
	return s.plan.Begin(ctx, folder, session)
}

// untilDeadline returns a context that ends at Ctrl-C, at SIGTERM and shortly before the test binary's own deadline.
func untilDeadline(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	deadline, ok := t.Deadline()
	if !ok {
		return ctx, stop
	}
	ctx, cancel := context.WithDeadlineCause(ctx, deadline.Add(-deadlineReserve), errors.New("the test's -timeout is near"))
	return ctx, func() { cancel(); stop() }
}

// mode records the scenarios on the cluster of a mode, side by side as far as their turns allow.
func (s *Suite) mode(ctx context.Context, t *testing.T, r *Run, suite, mode string, scenarios []harness.Scenario) {
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
	environment, err := env.NewWithContext(ctx, cmp.Or(s.framework, envconf.New()).WithParallelTestEnabled())
	if err != nil {
		t.Fatal(err)
	}
	var list []features.Feature
	for _, s := range scenarios {
		list = append(list, m.feature(suite, s))
	}
	environment.TestInParallel(t, list...)
}

// list has the scenarios named that -run and the framework's flags select, by the subtests of go test -v, and does nothing else.
func (s *Suite) list(t *testing.T, suite string, scenarios []harness.Scenario) {
	environment, err := env.NewWithContext(t.Context(), cmp.Or(s.framework, envconf.New()).WithDryRunMode())
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
