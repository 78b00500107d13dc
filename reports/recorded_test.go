package reports_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// maxRecorded is the most that a recorded folder may have, in bytes: git keeps all of them for ever.
const maxRecorded = 300 << 10

// Every folder in testdata/recorded has the evidence of one scenario from a real cluster, and how it is judged in golden.json. To add a
// test, add a folder and run make generate.
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
				t.Errorf("it is damaged: %s", damage.Text)
			}
			if t.Failed() {
				t.FailNow() // -update must not make it what is expected
			}
			got, err := json.MarshalIndent(judged(t, folder, ev.Run), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, filepath.Join("testdata", "recorded", c.Name(), "golden.json"), append(got, '\n'))
		})
	}
}

// judged returns what a report says of the evidence in folder.
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

// In the evidence of a watched app versions are hashes; a report calls them by what differs.
func TestVersionsAreCalledByWhatDiffers(t *testing.T) {
	const recorded = "testdata/advice/drained"
	ev, err := store.Read(recorded)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "drained")
	if err := os.CopyFS(folder, os.DirFS(recorded)); err != nil {
		t.Fatal(err)
	}
	ev.Run.VersionNames = map[string]string{ev.Run.OldVersion: "web:1", ev.Run.NewVersion: "web:2"}
	if err := os.Remove(filepath.Join(folder, evidence.RunFile)); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, filepath.Join(folder, evidence.RunFile), ev.Run)
	s := judged(t, folder, ev.Run)
	table := printed(t, reports.Terminal, model.Report{Scenarios: []model.Scenario{s}})
	for _, lane := range s.Lanes {
		for version := range lane.ByVersion {
			if !lane.Kind().IsControl() && version != "web:1" && version != "web:2" {
				t.Errorf("%s was answered by %q", lane.ID, version)
			}
		}
	}
	if want := regexp.MustCompile(`web:1 \d+% web:2 \d+%`); !want.MatchString(table) {
		t.Errorf("it does not say %s:\n%s", want, table)
	}
}
