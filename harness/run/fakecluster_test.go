package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/verdict"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// fakeSuites are suites of one scenario each, which does what the name of its suite says.
func fakeSuites(names string) map[string][]harness.Scenario {
	all := map[string][]harness.Scenario{}
	for _, name := range strings.Fields(names) {
		s := harness.Scenario{ID: "drained", Profile: harness.Core, Kind: harness.UnderLoad{}}
		switch name {
		case "owns":
			s.Kind = harness.UnderLoad{FreshCluster: &harness.FreshCluster{Kubernetes: "v1.35"}}
		case "left-out":
			s.Profile = harness.Full
		}
		all[name] = []harness.Scenario{s}
	}
	return all
}

// fakeClusters opens fake clusters.
type fakeClusters struct {
	checked, opens error  // what admit and open return
	lacks          string // mode without a cluster
	hung           func() // is called when a scenario hangs
}

func (f fakeClusters) admit(_ context.Context, p Plan, _ io.Writer, _ string) (Plan, error) {
	return p, f.checked
}

func (f fakeClusters) open(_ context.Context, r *Run, _ io.Writer, mode string, none bool) (opened, string, error) {
	described := store.WriteJSON(evidence.ClusterPath(r.Folder, mode), evidence.Cluster{Mode: mode})
	switch {
	case none:
		return fakeCluster{f, r, mode, none}, "", described
	case mode == f.lacks:
		return nil, "the kernel lacks it", described
	}
	return fakeCluster{f, r, mode, none}, "", errors.Join(f.opens, described)
}

// A fakeCluster records what the name of a scenario's suite says.
type fakeCluster struct {
	fakeClusters
	run  *Run
	mode string
	none bool // there is no cluster
}

func (f fakeCluster) Close(context.Context) error { return nil }

func (f fakeCluster) Record(ctx context.Context, out io.Writer, suite string, s harness.Scenario) (verdict.Verdict, error) {
	r := suiteRecording{progress.Name{Mode: f.mode, Suite: suite, Scenario: s.ID}, f.run.Folder, f.run.board}
	fmt.Fprintln(out, f.mode, suite, "goes on with its scenario")
	if f.none != (s.UnderLoad().FreshCluster != nil) {
		return verdict.Verdict{}, r.end(1, verdict.Fail, "there is a cluster beside its own, or none")
	}
	switch suite {
	case "fails":
		return verdict.Verdict{}, r.end(1, verdict.Fail, "3 of 100 requests failed", 60, 61, 62)
	case "retries":
		if err := r.record(1, 3); err != nil { // before the rollout: not to be trusted
			return verdict.Verdict{}, err
		}
		return verdict.Verdict{}, r.end(2, verdict.Pass, "0 of 100 requests failed")
	case "leaves": // something behind, which no scenario reports
		return verdict.Verdict{}, errors.Join(r.end(1, verdict.Pass, "0 of 100 requests failed"), errors.New("a pod is left"))
	case "panics":
		panic("nil map")
	case "hangs":
		f.hung()
		<-ctx.Done()
		return verdict.Verdict{}, r.end(1, verdict.Inconclusive, "interrupted", 3)
	}
	return verdict.Verdict{}, r.end(1, verdict.Pass, "0 of 100 requests failed")
}

// A suiteRecording is made of a scenario in a mode.
type suiteRecording struct {
	progress.Name
	out   string // run folder
	board *progress.Board
}

// end records an attempt and says how the scenario ended.
func (f suiteRecording) end(attempt int, outcome verdict.Outcome, headline string, refused ...int) error {
	f.board.Entry(f.Name).End(progress.Result{Outcome: outcome.String(), Headline: headline, Because: headline})
	return f.record(attempt, refused...)
}

// record records 2 s of 50 requests per second, of which the numbered ones are refused.
func (f suiteRecording) record(attempt int, refused ...int) error {
	lane := evidence.Lane{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Rate: 50}
	run := evidence.Run{Schema: evidence.SchemaVersion, Scenario: f.Scenario, Suite: f.Suite, Mode: f.Mode, Attempt: attempt, Tries: attempt,
		OldVersion: "v1", NewVersion: "v2", Lanes: []evidence.Lane{lane}, Expect: []evidence.Expectation{verdict.NoFailures()}}
	var hits []evidence.Hit
	for i := range 100 {
		due := time.Duration(i) * 20 * time.Millisecond
		hit := evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due, Status: 200, By: evidence.Server{Version: "v1"}}
		if slices.Contains(refused, i) {
			hit.Fault, hit.Status, hit.By = evidence.Refused, 0, evidence.Server{}
		}
		hits = append(hits, hit)
	}
	return store.Write(evidence.ScenarioFolder(f.out, f.Mode, f.Suite, f.Scenario, attempt),
		evidence.Evidence{Run: run, Hits: evidence.Hits(hits), Events: []evidence.Event{
			{At: 0, Kind: evidence.LoadBegun}, {At: 5e8, Kind: evidence.RolloutBegun}, {At: 1e9, Kind: evidence.OldGone},
			{At: 2e9, Kind: evidence.LoadEnded},
		}})
}
