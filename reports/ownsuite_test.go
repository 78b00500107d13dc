package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
)

// A run folder of the suite own, which earlier releases had for the app of a user's, is judged, with advice to the app's owner.
func TestAFolderOfTheSuiteOwn(t *testing.T) {
	ev, err := store.Read("testdata/advice/drained")
	if err != nil {
		t.Fatal(err)
	}
	ev.Run.Suite, ev.Run.Scenario, ev.Run.Mode, ev.Run.Disruption = "own", "update", "nftables", nil
	ev.Run.Expect = []evidence.Expectation{verdict.NoFailures()}
	ev.Run.UserApp.Watched, ev.Run.UserApp.PreStop, ev.Run.UserApp.Autoscaled, ev.Run.UserApp.Replicas = false, 0, "web", 3
	dir := t.TempDir()
	folder := evidence.ScenarioFolder(dir, "nftables", "own", "update", 1)
	session := evidence.Session{Schema: evidence.SchemaVersion, ID: "r", Began: time.Unix(0, 0).UTC(), Ended: time.Unix(90, 0).UTC(),
		Command: "rollcall run --suites=own --app=app.yaml"}
	for _, err := range []error{store.Write(folder, ev), store.WriteJSON(evidence.SessionPath(dir), session),
		store.WriteJSON(evidence.ClusterPath(dir, "nftables"), evidence.Cluster{Mode: "nftables"})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(folder, evidence.RunFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	theirs := bytes.Replace(text, []byte(`"own": {`), []byte(`"own": {"changed_back": ["Ingress web is left out"],`), 1)
	if err := os.WriteFile(file, theirs, 0o600); err != nil || bytes.Equal(text, theirs) {
		t.Fatalf("%v, %s", err, text)
	}
	report, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Scenarios) != 1 || report.Scenarios[0].Name() != "own/update" || report.Scenarios[0].Outcome != verdict.Pass ||
		len(report.Run.Broken) > 0 {
		t.Fatalf("%+v", report)
	}
	if codes := codesIn(report.Scenarios[0].Advice); !slices.Contains(codes, "RC3006") || !slices.Contains(codes, "RC3009") {
		t.Errorf("advice %q", codes)
	}
}
