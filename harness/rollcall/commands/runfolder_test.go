package commands

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
)

// recordedRun makes a run folder in a new folder out, the working folder's, with one recording in iptables mode of each of some suites, in
// their order: of 2 s with 50 requests a second, of which the suite "fails" lost three.
func recordedRun(t *testing.T, suites ...string) (folder string) {
	t.Helper()
	t.Chdir(t.TempDir())
	folder, err := filepath.Abs("out/20261128-120000")
	if err != nil {
		t.Fatal(err)
	}
	session := store.NewSession(filepath.Base(folder), time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC))
	session.Ended = session.Began.Add(time.Minute)
	err = errors.Join(store.WriteJSON(evidence.SessionPath(folder), session),
		store.WriteJSON(evidence.ClusterPath(folder, "iptables"), evidence.Cluster{Mode: "iptables"}))
	for _, suite := range suites {
		err = errors.Join(err, recordSuite(folder, suite))
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func recordSuite(folder, suite string) error {
	lane := evidence.Lane{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Rate: 50}
	run := evidence.Run{Schema: evidence.SchemaVersion, Scenario: "drained", Suite: suite, Mode: "iptables", Attempt: 1, Tries: 1,
		OldVersion: "v1", NewVersion: "v2", Lanes: []evidence.Lane{lane}, Expect: []evidence.Expectation{verdict.NoFailures()}}
	var hits []evidence.Hit
	for i := range 100 {
		due := time.Duration(i) * 20 * time.Millisecond
		hit := evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due, Status: 200, By: evidence.Server{Version: "v1"}}
		if suite == "fails" && slices.Contains([]int{60, 61, 62}, i) {
			hit.Fault, hit.Status, hit.By = evidence.Refused, 0, evidence.Server{}
		}
		hits = append(hits, hit)
	}
	return store.Write(evidence.ScenarioFolder(folder, "iptables", suite, "drained", 1),
		evidence.Evidence{Run: run, Hits: evidence.Hits(hits), Events: []evidence.Event{
			{At: 0, Kind: evidence.LoadBegun}, {At: 5e8, Kind: evidence.RolloutBegun}, {At: 1e9, Kind: evidence.OldGone},
			{At: 2e9, Kind: evidence.LoadEnded},
		}})
}
