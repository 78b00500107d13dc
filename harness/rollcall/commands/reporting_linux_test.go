package commands

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

// A recording that ended early does not hide that a claim had failed, nor the other way.
func TestAReportOfAFailureThatWasCutShort(t *testing.T) {
	const because = "disk of out: 9.0 MiB is free, and the load takes 60.0 MiB a minute: the load has ended"
	for _, row := range []struct {
		sentence, suite string
		reasons         []evidence.Reason
		says            bool
	}{
		{"a claim fails", "fails", nil, false},
		{"a claim fails before the disk is full", "fails", []evidence.Reason{{ID: evidence.StageFailed, Because: because}}, true},
		{"a claim fails, and a part is not trusted", "fails", []evidence.Reason{{ID: evidence.ObserverLost, Because: because}}, false},
		{"nothing fails before the disk is full", "passes", []evidence.Reason{{ID: evidence.StageFailed, Because: because}}, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := recordedRun(t, row.suite)
			file := filepath.Join(evidence.ScenarioFolder(folder, "iptables", row.suite, "drained", 1), evidence.RunFile)
			var run evidence.Run
			if err := store.ReadJSON(file, &run); err != nil {
				t.Fatal(err)
			}
			run.Reasons = row.reasons
			if err := store.WriteJSON(file, run); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if _, err := reportsOf(folder).Report(&out, "out"); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(out.String()), " ")
			want := "fails/drained failed, and its recording ended early: " + because +
				"; what it recorded before decides the exit code run folder: "
			if says := strings.Contains(text, want); says != row.says || strings.Contains(text, "ended early") != row.says {
				t.Errorf("printed:\n%s", &out)
			}
		})
	}
}

// Without files there is the terminal, and one line that names the folder and the remedy.
func TestAReportWithoutFiles(t *testing.T) {
	for _, row := range []struct {
		sentence, suite string
		spoil           func(t *testing.T, folder string)
		says            []string
	}{
		{"a folder is in the way", "passes", func(t *testing.T, folder string) {
			if err := os.MkdirAll(filepath.Join(folder, "report.json", "a"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, []string{"only the terminal has the report: reports: write report.json: ", ": mend that, then: rollcall report "}},
		{"the disk stays full after a claim failed", "fails", fullDisk,
			[]string{"the report, in which a claim failed: ", "no space left on device: free some space, then: rollcall report "}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := recordedRun(t, row.suite)
			row.spoil(t, folder)
			var out strings.Builder
			_, err := reportsOf(folder).Report(&out, "out")
			if err == nil || !strings.HasPrefix(err.Error(), "run folder "+folder+" ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v", err)
			}
			for _, says := range append(row.says, folder) {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q is not in %v", says, err)
				}
			}
			if text := out.String(); !strings.Contains(text, row.suite+"/drained") || strings.Contains(text, "page: ") {
				t.Errorf("printed:\n%s", text)
			}
		})
	}
}

// fullDisk moves a folder to a disk without space.
func fullDisk(t *testing.T, folder string) {
	aside := folder + "-aside"
	if err := os.Rename(folder, aside); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("a tmpfs cannot be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := os.CopyFS(folder, os.DirFS(aside)); err != nil {
		t.Fatal(err)
	}
	full, err := os.Create(filepath.Join(folder, "full"))
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for err == nil {
		_, err = full.Write(make([]byte, 4<<10))
	}
}
