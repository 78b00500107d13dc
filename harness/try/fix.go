package try

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/harness/verdict/phrase"
)

// Advise returns the patch that advice on a recording has for the manifest of the workload, as a strategic merge in YAML, and the codes of
// the advice that it follows. It is empty if no advice has one.
type Advise func(kept.Recording) (patch string, follows []string)

// A fix tries the patch that advice on a rollout has. The rollout of the patch ends pods of the old template, and may lose requests all the
// same (suites/rollout, hook-added): what it costs is shown. A restart with the patch is judged.
type fix struct {
	run    *appRun
	advise Advise
	mode   string // of the cluster; empty: there is no other

	rollout, patching, restart *losses
	text                       string         // of the patch; empty: there is none to try
	spec                       map[string]any // of the workload, in the patch
	follows                    []string       // codes of advice
	unfinished                 string         // why the rollout of the patch did not come to its end
}

// A losses has what clients lost in a recording.
type losses struct {
	lost, of int // requests
	outcome  verdict.Outcome
}

func lossesOf(rec kept.Recording) *losses {
	l := losses{outcome: rec.Verdict.Outcome}
	for _, lane := range rec.Timeline.ServiceLanes() {
		l.of += lane.Summary.Requests
		for _, n := range lane.Summary.Failures {
			l.lost += n
		}
	}
	return &l
}

func (l losses) String() string {
	return fmt.Sprintf("%s of %s", phrase.Number(l.lost), phrase.Number(l.of))
}

func (l losses) passed() bool { return l.outcome == verdict.Pass }

// none reports whether there is nothing to fix.
func (l losses) none() bool { return l.lost == 0 && l.passed() }

// rolledOut takes the rollout, and the patch that advice on it has.
func (f *fix) rolledOut(rec kept.Recording, _ string) {
	f.rollout = lossesOf(rec)
	if f.rollout.none() {
		return
	}
	text, follows := f.advise(rec)
	if f.spec = specIn(text); len(f.spec) > 0 {
		f.text, f.follows = text, follows
	}
}

// specIn returns the specification in a patch, without replicas that it takes out of a manifest: an object without them gets one pod
// (apps/v1, defaults.go).
func specIn(patch string) map[string]any {
	var object struct {
		Spec map[string]any `json:"spec"`
	}
	text, err := yaml.YAMLToJSON([]byte(patch))
	if err != nil || json.Unmarshal(text, &object) != nil {
		return nil
	}
	if replicas, named := object.Spec["replicas"]; named && replicas == nil {
		delete(object.Spec, "replicas")
	}
	return object.Spec
}

// changes returns the rollout of the patch, and the restart with it.
func (f *fix) changes() []during.Change {
	workload := f.run.app.workload
	return []during.Change{
		{ID: "patch", Unjudged: true, Does: func() string { return fmt.Sprintf("%s gets the patch %s", workload, f.origin()) },
			Prepare: f.announce, Do: f.apply, Judged: f.patched},
		{ID: "fixed", Does: func() string { return fmt.Sprintf("%s restarts with the patch %s", workload, f.origin()) },
			Prepare: f.await, Do: f.run.restart, Judged: func(rec kept.Recording, _ string) { f.restart = lossesOf(rec) }},
	}
}

// origin says which advice has the patch.
func (f *fix) origin() string {
	if len(f.follows) == 0 {
		return "of the advice, if clients lost requests"
	}
	return "that follows " + strings.Join(f.follows, ", ")
}

// announce prints the patch that is rolled out next.
func (f *fix) announce(_ context.Context, site during.Site) error {
	if f.text == "" {
		return run.ErrNothing
	}
	site.Say(fmt.Sprintf("then: %s with the patch that advice %s made, which is rolled out first:\n%s", f.run.app.workload,
		strings.Join(f.follows, ", "), strings.TrimSpace(f.text)))
	return nil
}

func (f *fix) apply(ctx context.Context) error {
	err := f.run.target.Load().patch(ctx, f.run.app.workload, f.spec)
	if err != nil {
		f.unfinished = usage.OneLine(err)
	}
	return err
}

// patched takes the rollout of the patch.
func (f *fix) patched(rec kept.Recording, unfinished string) {
	f.patching, f.unfinished = lossesOf(rec), cmp.Or(f.unfinished, unfinished)
}

// await waits until the app has the patch.
func (f *fix) await(ctx context.Context, site during.Site) error {
	if f.patching == nil || f.unfinished != "" {
		return run.ErrNothing
	}
	return f.run.target.Load().awaitReady(ctx, site.Cluster.Client(), f.run.app)
}

// result says whether the patch helped.
func (f *fix) result() string {
	said := f.compared()
	if said != "" && f.mode != "" {
		said = f.mode + ": " + said
	}
	return said
}

func (f *fix) compared() string {
	switch {
	case f.rollout == nil: // the report says what broke
		return ""
	case f.rollout.none():
		return "--fix: nothing was lost, so nothing was tried"
	case f.text == "":
		return "--fix: no advice has a patch, so nothing was tried"
	case f.unfinished != "":
		return "the patch did not help: " + f.unfinished
	case f.restart == nil:
		return "--fix: no restart with the patch was recorded"
	}
	beside := ""
	if f.patching.lost > 0 {
		beside = fmt.Sprintf(" (%s while it was rolled out, which ended the pods without it)", f.patching)
	}
	switch f.restart.outcome {
	case verdict.Pass:
		return fmt.Sprintf("%s lost; with this patch %s%s", f.rollout, f.restart, beside)
	case verdict.Fail:
		return fmt.Sprintf("the patch did not help: %s lost with it, %s without%s", f.restart, f.rollout, beside)
	default:
		return fmt.Sprintf("%s lost; with this patch %s, which is %s%s", f.rollout, f.restart, f.restart.outcome, beside)
	}
}
