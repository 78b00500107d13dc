package compare_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
)

// recorded is a run folder with recordings from real clusters, changed.
type recorded struct {
	id      string
	modes   []string
	cluster func(*evidence.Cluster)
	change  func(*evidence.Evidence) []evidence.Evidence // returns what is there instead of a recording
}

func asIs(ev *evidence.Evidence) []evidence.Evidence { return []evidence.Evidence{*ev} }

// folder writes the run, with its reports.
func (r recorded) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	began := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{
		Schema: 1, ID: r.id, Began: began, Ended: began.Add(10 * time.Minute), Version: "v0.1.0",
	})
	const from = "../testdata/recorded"
	folders, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range r.modes {
		c := evidence.Cluster{Name: "rollcall-" + mode, Mode: mode, Provider: "kind", Kubernetes: "v1.36.3", Kernel: "6.12.0", CNI: "kindnet",
			Nodes: 3}
		if r.cluster != nil {
			r.cluster(&c)
		}
		writeJSON(t, filepath.Join(dir, "evidence", mode, evidence.ClusterFile), c)
		for _, f := range folders {
			ev, err := store.Read(filepath.Join(from, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if ev.Run.Mode != mode {
				continue
			}
			change := asIs
			if r.change != nil {
				change = r.change
			}
			for _, ev := range change(&ev) {
				if err := store.Write(placeOf(dir, ev.Run), ev); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	report, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := reports.WriteFolder(dir, report); err != nil {
		t.Fatal(err)
	}
	return dir
}

func placeOf(dir string, run evidence.Run) string {
	return filepath.Join(dir, "evidence", run.Mode, run.Suite, run.Scenario)
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	if err := store.WriteJSON(path, v); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) compare.Side {
	t.Helper()
	side, err := compare.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return side
}

// upgraded returns a recording as it would be under a worse Kubernetes.
func upgraded(ev *evidence.Evidence) []evidence.Evidence {
	switch run := &ev.Run; run.Scenario {
	case "dead-agent":
		return nil
	case "undrained":
		return []evidence.Evidence{{Run: evidence.Run{
			Suite: run.Suite, Scenario: run.Scenario, Mode: run.Mode, Attempt: 1, Claim: run.Claim, Skipped: "the cluster has no such kubelet",
		}}}
	case "drained":
		refuse(ev, 40)
		move(ev, evidence.StatusDone, -3*time.Second)
	case "recreate":
		move(ev, evidence.RuleGone, 1600*time.Millisecond)
		again := *ev
		again.Run.Scenario = "recreate-again"
		return []evidence.Evidence{*ev, again}
	}
	return []evidence.Evidence{*ev}
}

// refuse makes the last n requests fail.
func refuse(ev *evidence.Evidence, n int) {
	hits, err := ev.Hits.All()
	if err != nil {
		panic(err)
	}
	for i := range hits[len(hits)-n:] {
		h := &hits[len(hits)-n+i]
		h.Fault, h.Status, h.By = evidence.Refused, 0, evidence.Server{}
	}
	ev.Hits = evidence.Hits(hits)
}

// move moves the events of a kind in time.
func move(ev *evidence.Evidence, kind evidence.EventKind, by time.Duration) {
	events := append([]evidence.Event{}, ev.Events...)
	for i := range events {
		if events[i].Kind == kind {
			events[i].At += by
		}
	}
	ev.Events = events
}
