package try

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/kept"
)

// recorded returns a recording in which so many requests of a client were lost, and as many again on a control lane, which is no client.
func recorded(outcome verdict.Outcome, lost, of int) kept.Recording {
	lane := func(vantage evidence.Vantage) timeline.Lane {
		return timeline.Lane{Lane: evidence.Lane{ID: string(vantage), Vantage: vantage, Conn: evidence.Fresh},
			Summary: timeline.LaneSummary{Requests: of, Failures: map[evidence.Fault]int{evidence.Refused: lost}}}
	}
	return kept.Recording{Verdict: verdict.Verdict{Outcome: outcome},
		Timeline: timeline.Timeline{Lanes: []timeline.Lane{lane(evidence.FromPod), lane(evidence.FromControl)}}}
}

const sleepPatch = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: null
  strategy: {rollingUpdate: {maxUnavailable: 0}}
  template: {spec: {containers: [{name: web, lifecycle: {preStop: {sleep: {seconds: 2}}}}]}}
`

func TestWhatAFixShows(t *testing.T) {
	lost, whole := recorded(verdict.Fail, 282, 1941), recorded(verdict.Pass, 0, 1990)
	const replicasAlone = "spec: {replicas: null}"
	for _, row := range []struct {
		sentence          string
		rollout           kept.Recording
		patch             string
		patching, restart *kept.Recording // nil: not recorded
		unfinished        string          // the rollout of the patch
		recorded, result  string          // recorded: changes that are, after the rollout
	}{
		{"the patch helps", lost, sleepPatch, &whole, &whole, "", "patch fixed", "282 of 1,941 lost; with this patch 0 of 1,990"},
		{"the rollout of the patch still ends pods without it", lost, sleepPatch, new(recorded(verdict.Pass, 54, 2010)), &whole, "",
			"patch fixed", "282 of 1,941 lost; with this patch 0 of 1,990 (54 of 2,010 while it was rolled out, which ended the pods without it)"},
		{"it does not help", lost, sleepPatch, &whole, new(recorded(verdict.Fail, 12, 1990)), "", "patch fixed",
			"the patch did not help: 12 of 1,990 lost with it, 282 of 1,941 without"},
		{"a few are within the limits of the user", lost, sleepPatch, &whole, new(recorded(verdict.Pass, 2, 1990)), "", "patch fixed",
			"282 of 1,941 lost; with this patch 2 of 1,990"},
		{"a restart that nobody can trust", lost, sleepPatch, &whole, new(recorded(verdict.Inconclusive, 0, 9)), "", "patch fixed",
			"282 of 1,941 lost; with this patch 0 of 9, which is inconclusive"},
		{"pods with the patch do not get ready", lost, sleepPatch, &lost, nil, "the rollout cannot end: no node takes pod web-1", "patch",
			"the patch did not help: the rollout cannot end: no node takes pod web-1"},
		{"a rollout that could not end", recorded(verdict.Inconclusive, 0, 1941), sleepPatch, &whole, &whole, "", "patch fixed",
			"0 of 1,941 lost; with this patch 0 of 1,990"},
		{"nothing was lost", whole, sleepPatch, nil, nil, "", "", "--fix: nothing was lost, so nothing was tried"},
		{"no advice has a patch", lost, "", nil, nil, "", "", "--fix: no advice has a patch, so nothing was tried"},
		{"the patch is for the manifest alone", lost, replicasAlone, nil, nil, "", "", "--fix: no advice has a patch, so nothing was tried"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			app, err := New(parsed(t, both), "", "")
			if err != nil {
				t.Fatal(err)
			}
			r := &appRun{app: app}
			r.fix = &fix{run: r, advise: func(kept.Recording) (string, []string) { return row.patch, []string{"RC3006"} }}
			changes := r.changes(Options{})
			changes[0].Judged(row.rollout, "")
			var of []string
			for i, rec := range []*kept.Recording{row.patching, row.restart} {
				c := changes[1+i]
				if i == 0 || rec == nil { // else it waits for pods
					if err := c.Prepare(t.Context(), during.Site{Say: func(string) {}}); errors.Is(err, run.ErrNothing) {
						continue
					}
				}
				if rec == nil {
					t.Fatalf("%s is recorded", c.ID)
				}
				of = append(of, c.ID)
				c.Judged(*rec, row.unfinished)
			}
			if got := strings.Join(of, " "); got != row.recorded {
				t.Errorf("%s are recorded, want %s", got, row.recorded)
			}
			if got := r.fix.result(); got != row.result {
				t.Errorf("it is\n%s\nwant\n%s", got, row.result)
			}
		})
	}
	if got := (&fix{mode: "iptables"}).result(); got != "" {
		t.Errorf("without a verdict on the rollout it says %q", got)
	}
	const want = "iptables: --fix: nothing was lost, so nothing was tried"
	if got := (&fix{mode: "iptables", rollout: lossesOf(whole)}).result(); got != want {
		t.Errorf("in one of several modes it is %q, want %q", got, want)
	}
}

// The patch is for the manifest; in the cluster, replicas that it leaves out stay as they are.
func TestAppliesThePatchOfAdvice(t *testing.T) {
	live := parsed(t, strings.Replace(deployment, "spec:\n  selector", "spec:\n  replicas: 3\n  "+
		"strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}\n  selector", 1))[0].DeepCopy()
	live.SetNamespace(metav1.NamespaceDefault)
	live.SetUID("uid-1")
	to, _ := fakeTarget(nil)
	to.client = dynamicfake.NewSimpleDynamicClient(scheme.Scheme, live)
	to.created = []manifest.Object{{Unstructured: live}}
	app, err := New(parsed(t, both), "", "")
	if err != nil {
		t.Fatal(err)
	}
	r := &appRun{app: app}
	r.target.Store(to)
	r.fix = &fix{run: r, advise: func(kept.Recording) (string, []string) { return sleepPatch, []string{"RC3006", "RC3009"} }}
	r.fix.rolledOut(recorded(verdict.Fail, 1, 2), "")
	var said string
	if err := r.fix.announce(t.Context(), during.Site{Say: func(line string) { said += line }}); err != nil {
		t.Fatal(err)
	}
	if want := "then: Deployment web with the patch that advice RC3006, RC3009 made"; !strings.HasPrefix(said, want) {
		t.Errorf("it says %s, want %s", said, want)
	}
	if got, want := r.fix.changes()[1].Does(), "Deployment web restarts with the patch that follows RC3006, RC3009"; got != want {
		t.Errorf("the restart is %q, want %q", got, want)
	}
	if err := r.fix.apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	api, err := to.api(app.workload)
	if err != nil {
		t.Fatal(err)
	}
	is, err := api.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := live.DeepCopy()
	for _, set := range []struct {
		value any
		at    []string
	}{
		{int64(0), []string{"spec", "strategy", "rollingUpdate", "maxUnavailable"}},
		{[]any{map[string]any{"name": "web", "image": "localhost/web:1",
			"lifecycle": map[string]any{"preStop": map[string]any{"sleep": map[string]any{"seconds": int64(2)}}}}},
			[]string{"spec", "template", "spec", "containers"}},
	} {
		if err := unstructured.SetNestedField(want.Object, set.value, set.at...); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want.Object, is.Object); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the API server says of a patch that it does not take is why nothing was fixed.
func TestAPatchThatIsRefused(t *testing.T) {
	app, err := New(parsed(t, both), "", "")
	if err != nil {
		t.Fatal(err)
	}
	r := &appRun{app: app}
	to, _ := fakeTarget(nil) // has no such Deployment
	r.target.Store(to)
	f := &fix{run: r, rollout: &losses{1, 2, verdict.Fail}, text: sleepPatch, spec: specIn(sleepPatch)}
	if err := f.apply(context.Background()); err == nil {
		t.Fatal("it is taken")
	}
	f.patched(recorded(verdict.Inconclusive, 0, 2), "")
	if err := f.await(t.Context(), during.Site{}); !errors.Is(err, run.ErrNothing) {
		t.Errorf("a restart is recorded: %v", err)
	}
	if got, want := f.result(), `the patch did not help: deployments.apps "web" not found`; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}
