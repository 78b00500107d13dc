package reports_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports"
)

// judgedFor judges the recording in a folder, as a run does whose report c makes.
func judgedFor(c *reports.Collector, folder string) error {
	var judged func(kept.Recording)
	rec, err := kept.Judge(folder, func(run evidence.Run) (show func(evidence.Hit, error)) {
		show, judged = c.Reading(run)
		return show
	})
	if err != nil {
		return err
	}
	judged(rec)
	return rec.Keep()
}

// attempts lists the folders of all attempts in a mode that were recorded.
func attempts(t *testing.T, dir, mode string) (folders []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "evidence", mode, "*", "*", evidence.HitsFile))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings in %s: %v", len(files), mode, err)
	}
	for _, file := range files {
		folders = append(folders, filepath.Dir(file))
	}
	return folders
}

// A report that is collected while recordings are judged, side by side, is byte for byte the one that is read from the folder. It has what
// came after the verdict, which is the time of the clean-up and diagnostics, and reads nothing again.
func TestACollectedReportIsTheOneThatIsRead(t *testing.T) {
	dir := runFolder(t)
	c := reports.Collect(dir, nil)
	var all sync.WaitGroup
	collected := attempts(t, dir, "iptables")
	for _, folder := range collected {
		all.Go(func() {
			if err := errors.Join(judgedFor(c, folder), store.SetDuration(folder, 20*time.Second)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	writeJSON(t, filepath.Join(collected[len(collected)-1], "diagnostics", "README.txt"), "why")
	want, err := reports.Rejudge(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range collected {
		if err := os.Remove(filepath.Join(folder, evidence.HitsFile)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := c.Report()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(printed(t, reports.JSON, want), printed(t, reports.JSON, got)); diff != "" {
		t.Errorf("(-read +collected):\n%s", diff)
	}
}

// What was collected counts as long as the recording is the one that was judged.
func TestARecordingThatWasReplacedIsReadAgain(t *testing.T) {
	dir := pairFolder(t)
	folder := filepath.Join(dir, filepath.FromSlash(drainedFolder))
	c := reports.Collect(dir, nil)
	if err := judgedFor(c, folder); err != nil {
		t.Fatal(err)
	}
	var run evidence.Run
	if err := store.ReadJSON(filepath.Join(folder, evidence.RunFile), &run); err != nil {
		t.Fatal(err)
	}
	run.Expect = nil
	writeJSON(t, filepath.Join(folder, evidence.RunFile), run)
	r, err := c.Report()
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Scenarios[0]; s.Because != "0 rules were expected to hold, so nothing was judged" {
		t.Errorf("%s: %s", s.Outcome, s.Because)
	}
	if want := "recordings judged again: 1 (other evidence)"; r.JudgedAgain != want {
		t.Errorf("it says %q, want %q", r.JudgedAgain, want)
	}
}

// A report says which verdicts it did not take; only one that is collected replaces them.
func TestWhatIsJudgedAgainIsSaid(t *testing.T) {
	dir := runFolder(t)
	says := func(sentence, want string, load func() (string, error)) {
		t.Helper()
		if got, err := load(); err != nil || got != want {
			t.Errorf("%s: it says %q, %v; want %q", sentence, got, err, want)
		}
	}
	loaded := func() (string, error) { r, err := reports.Load(dir); return r.JudgedAgain, err }
	collected := func() (string, error) { r, err := reports.Collect(dir, nil).Report(); return r.JudgedAgain, err }
	says("without verdicts", "", loaded)
	says("without verdicts, which it keeps", "", collected)
	byAnother := editing(evidence.VerdictFile, func(text []byte) []byte {
		return bytes.Replace(text, []byte(`"build": "`), []byte(`"build": "v0`), 1)
	})
	byAnother(t, filepath.Join(dir, "evidence/iptables/control/undrained-2"))
	byAnother(t, filepath.Join(dir, "evidence/nftables/control/undrained"))
	editing(evidence.VerdictFile, half)(t, filepath.Join(dir, filepath.FromSlash(drainedFolder)))
	const again = "recordings judged again: 2 (another build), 1 (damaged verdict.json)"
	says("with others", again, loaded)
	says("asked to judge all", "", func() (string, error) { r, err := reports.Rejudge(dir); return r.JudgedAgain, err })
	says("with others, which it replaces", again, collected)
	says("with its own", "", loaded)
}
