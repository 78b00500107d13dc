package run

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/record"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports"
)

// A timedRecording writes into its folder, when it is cleaned up, how long that took.
type timedRecording struct {
	fakeRecording
	folder string
}

func (r timedRecording) Cleanup(ctx context.Context, kept bool) error {
	if !kept {
		return r.fakeRecording.Cleanup(ctx, kept)
	}
	return store.SetDuration(r.folder, 9*time.Second)
}

// Each recording that is judged is joined once in a run: the report is made of what was seen then. A recording that was begun again with a
// lower rate was not judged. A scenario that shares a recording has a recording by another name.
func TestEachRecordingIsJoinedOnce(t *testing.T) {
	r := recordsInto(t, 1, 1)
	r.pool, r.Rate = namespace.NewPool([]string{"shop"}, nil), 100
	m := r.modeRun("iptables", namedCluster{})
	collector := reports.Collect(r.Folder, nil)
	type joined struct {
		Scenario string
		Attempt  int
	}
	joins := map[joined]int{}
	r.reading = func(run evidence.Run) (show func(evidence.Hit, error), judged func(kept.Recording)) {
		joins[joined{run.Scenario, run.Attempt}]++
		return collector.Reading(run)
	}
	var log []string
	tooMuch := []string{"3 of 100 requests were late", "", ""}
	r.recorder = func(_ context.Context, _ harness.Scenario, c record.Config) (recording, error) {
		made := timedRecording{fakeRecording{tooMuch[0], nil, &log}, c.Folder}
		tooMuch = tooMuch[1:]
		run := c.Header
		run.Unloaded, run.Began, run.Length = true, time.Now(), 3*time.Second
		return made, store.Write(c.Folder, evidence.Evidence{Run: run, Events: []evidence.Event{
			{At: time.Second, Kind: evidence.LoadBegun},
			{At: 1500 * time.Millisecond, Kind: evidence.Fact, Object: "answer", Detail: "yes"},
			{At: 2 * time.Second, Kind: evidence.LoadEnded},
		}})
	}
	for _, attempted := range []struct {
		id     string
		number int
	}{{"first", 1}, {"first", 2}, {"second", 1}} {
		s := harness.Scenario{ID: attempted.id, App: fixtures.App{Replicas: 3},
			Kind: harness.UnderLoad{Rollout: rollout.Update("v1", "v2")}, Expect: []evidence.Expectation{verdict.Fact("answer", "yes")}}
		a := attempt{mode: m, cluster: m.cluster, suite: "suite", entry: r.board.Entry(progress.Name{}), out: io.Discard,
			number: attempted.number, tries: 2}
		if res, err := a.run(t.Context(), &s); err != nil || res.verdict.Outcome != verdict.Pass {
			t.Fatalf("%s: %s, %v", s.ID, res.verdict.Because, err)
		}
		m.cleanups.Wait()
	}
	if diff := cmp.Diff(map[joined]int{{"first", 1}: 1, {"first", 2}: 1, {"second", 1}: 1}, joins); diff != "" || len(tooMuch) > 0 {
		t.Errorf("joins, after %d recordings (-want +got):\n%s", 3-len(tooMuch), diff)
	}
	if err := errors.Join(store.WriteJSON(evidence.SessionPath(r.Folder), r.session),
		store.WriteJSON(evidence.ClusterPath(r.Folder, "iptables"), evidence.Cluster{Mode: "iptables"})); err != nil {
		t.Fatal(err)
	}
	read, err := reports.Load(r.Folder)
	if err != nil || read.JudgedAgain != "" || read.Scenarios[0].Seconds != 9 {
		t.Errorf("%v, %q, scenario of %g s", err, read.JudgedAgain, read.Scenarios[0].Seconds)
	}
	events, err := filepath.Glob(filepath.Join(evidence.Folder(r.Folder), "*", "*", "*", evidence.EventsFile))
	if err != nil || len(events) != 3 {
		t.Fatalf("%q, %v", events, err)
	}
	for _, file := range events { // so that nobody can join it again
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	collected, err := collector.Report()
	for i := range read.Scenarios {
		read.Scenarios[i].Files, collected.Scenarios[i].Files = nil, nil
	}
	if diff := cmp.Diff(read, collected); err != nil || diff != "" {
		t.Errorf("the report, %v (-read +collected):\n%s", err, diff)
	}
}
