package reports_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/reports"
	"rollcall/reports/model"
)

// maxRecorded bounds a recorded folder, in bytes: git keeps all of them for ever.
const maxRecorded = 300 << 10

// Every folder in testdata/recorded is the evidence of one scenario as it was recorded on a real cluster, and
// golden.json in it is how it is judged. To add a test, add a folder and run make golden.
func TestRecordedEvidenceIsJudgedAsBefore(t *testing.T) {
	const recorded = "testdata/recorded"
	cases, err := os.ReadDir(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no folders", recorded)
	}
	for _, c := range cases {
		t.Run(c.Name(), func(t *testing.T) {
			folder := filepath.Join(recorded, c.Name())
			if size := sizeOf(t, folder); size > maxRecorded {
				t.Errorf("it has %d bytes, %d are allowed: trim it", size, maxRecorded)
			}
			ev, err := store.Read(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, damage := range ev.Damage {
				t.Errorf("it is damaged: %s", damage)
			}
			if t.Failed() {
				t.FailNow() // whatever is wrong with it is not to become what is expected
			}
			got, err := json.MarshalIndent(judged(t, folder, ev.Run), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("recorded", c.Name(), "golden.json"), append(got, '\n'))
		})
	}
}

// judged is what a report says of the evidence in folder, when it lies in a run folder.
func judged(t *testing.T, folder string, run evidence.Run) model.Scenario {
	t.Helper()
	dir := emptyFolder(t)
	writeJSON(t, filepath.Join(dir, "evidence", run.Mode, evidence.ClusterFile), evidence.Cluster{Mode: run.Mode})
	if err := os.CopyFS(placeOf(dir, run), os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Scenarios) != 1 {
		t.Fatalf("%d scenarios", len(r.Scenarios))
	}
	return r.Scenarios[0]
}

func sizeOf(t *testing.T, folder string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}
