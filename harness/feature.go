package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
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
	"rollcall/harness/evidence/store"
	"rollcall/harness/progress"
	"rollcall/harness/verdict"
)

// Test runs the scenarios of a suite in every mode asked for: a subtest per mode, in it a feature
// per scenario, in it an assessment per rule. In a mode this host cannot run, every scenario is
// skipped with the reason, in the test log and in the run folder.
func (r *Rig) Test(t *testing.T, suite string, all ...Scenario) {
	if r.DryRun {
		r.list(t, os.Stdout, suite, all)
		return
	}
	scenarios := r.selected(all)
	if len(scenarios) == 0 {
		t.Logf("profile %s has no scenario of this suite: -profile=full has all", r.profile)
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
	for _, left := range r.broken {
		t.Error(left)
	}
	if err := errors.Join(r.closeSession(r.broken), r.board.Err()); err != nil {
		t.Error(err)
	}
	t.Logf("evidence: %s; `make report RUN=%s` judges it again", r.Out, r.Out)
}

// mode records the scenarios on the cluster of a mode, side by side as far as their turns come.
func (r *Rig) mode(ctx context.Context, t *testing.T, suite, mode string, scenarios []Scenario) {
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
	var list []features.Feature
	for _, s := range scenarios {
		list = append(list, r.feature(c, suite, s))
	}
	environment.TestInParallel(t, list...)
	r.leaving.Wait()
	if r.Namespaces != "" || !r.began || c.Temporary() {
		return // they stay, or our parent waits for all suites' at its end, or they go with the cluster
	}
	if err := r.Vacated(ctx, c); err != nil {
		r.breaks(fmt.Sprintf("%s: %v", mode, err))
	}
}

// breaks notes what went wrong outside a recording.
func (r *Rig) breaks(what string) {
	r.breaking.Lock()
	defer r.breaking.Unlock()
	r.broken = append(r.broken, what)
}

// Broken is what went wrong outside the recordings so far.
func (r *Rig) Broken() []string {
	r.breaking.Lock()
	defer r.breaking.Unlock()
	return slices.Clone(r.broken)
}

// feature is a scenario as e2e-framework sees it: recorded, joined and judged once, in its set-up;
// an assessment prints the finding about one rule.
func (r *Rig) feature(c *cluster.Cluster, suite string, s Scenario) features.Feature {
	var v verdict.Verdict
	f := features.New(s.ID).WithSetup("record", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		if because := r.lacks(c, s); because != "" {
			r.skipOne(t, suite, c.Mode, because, s)
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

// recordAndJudge records a scenario, again up to its tries while a negative control that can be trusted saw nothing, or once
// more as the first recording has it, and judges the last one, from what is on disk, as any replay will. One that this machine
// was too late for, and which would not have failed, is made once more; that it was stays in the run folder and in how many
// attempts are reported.
func (r *Rig) recordAndJudge(ctx context.Context, c *cluster.Cluster, suite string, s Scenario, out io.Writer) (v verdict.Verdict, err error) {
	entry := r.board.Entry(progress.Name{Mode: c.Mode, Suite: suite, Scenario: s.ID})
	defer func() { entry.End(v.Outcome.String(), v.Because) }()
	tries := max(1, s.Tries)
	if s.Then != nil {
		tries = 2
	}
	repeated := false
	for number := 1; number <= tries; number++ {
		a := attempt{rig: r, cluster: c, suite: suite, entry: entry, out: out, number: number, tries: tries}
		again := false
		if v, again, err = a.judged(ctx, &s); err != nil {
			return v, err
		}
		if again && s.Then != nil {
			fmt.Fprintf(out, "%s %s: measured; what follows counts\n", c.Mode, s.ID)
			continue
		}
		fmt.Fprintf(out, "%s %s: %s: %s\n", c.Mode, s.ID, v.Outcome, v.Because)
		switch {
		case (v.Late || v.Starved) && !repeated:
			repeated = true
			tries++
			fmt.Fprintf(out, "%s %s: recorded once more, because this machine was late\n", c.Mode, s.ID)
		case !again:
			return v, nil
		}
	}
	return v, nil
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
	if err := store.Write(r.folder(mode, suite, s.ID, 1), evidence.Evidence{Run: run}); err != nil {
		t.Fatal(err)
	}
	r.board.Entry(progress.Name{Mode: mode, Suite: suite, Scenario: s.ID}).End(verdict.Skipped.String(), because)
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

// TargetVacated is Vacated of the target, unless it lent us namespaces, which stay.
func (r *Rig) TargetVacated(ctx context.Context) error {
	if r.Namespaces != "" {
		return nil
	}
	return r.Vacated(ctx, r.attached)
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
	return evidence.ScenarioFolder(r.Out, mode, suite, id, attempt)
}
