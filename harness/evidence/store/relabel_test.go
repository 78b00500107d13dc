package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

// A recording that another scenario shares is the same under another name, and stays when the first folder is removed.
func TestRelabel(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "drained"), filepath.Join(t.TempDir(), "trap")
	recorded := evidence.Evidence{
		Run:      evidence.Run{Suite: "rollout", Scenario: "drained", Claim: "no request fails", Kubernetes: "v1.36.3"},
		Hits:     inTurn([]evidence.Hit{{Lane: "worker-fresh", Seq: 1, Status: 200}}),
		Arrivals: inTurn([]evidence.Arrival{{Lane: "worker-fresh", Seq: 1}}),
		Events:   []evidence.Event{{Kind: evidence.LoadBegun}},
	}
	if err := Write(from, recorded); err != nil {
		t.Fatal(err)
	}
	rename := func(r *evidence.Run) { r.Suite, r.Scenario, r.Claim = "statusgap", "trap", "old pods are still there" }
	if err := Relabel(from, to, rename); err != nil {
		t.Fatal(err)
	}
	if err := Relabel(from, to, rename); err == nil {
		t.Error("a folder that holds a run was written over")
	}
	if err := os.RemoveAll(from); err != nil {
		t.Fatal(err)
	}
	got, err := Read(to)
	if err != nil || len(got.Damage) > 0 {
		t.Fatal(err, got.Damage)
	}
	if got.Run.Scenario != "trap" || got.Run.RecordedFor != "rollout/drained" || got.Run.Kubernetes != "v1.36.3" {
		t.Errorf("%+v", got.Run)
	}
	hits, err := got.Hits.All()
	if diff := cmp.Diff([]evidence.Hit{{Lane: "worker-fresh", Seq: 1, Status: 200}}, hits); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
