package kept

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

const module = "../../.."

// recordings returns a copy of each recording of a real cluster that the module has, by its folder there.
func recordings(t *testing.T) map[string]string {
	t.Helper()
	copies := map[string]string{}
	for _, pattern := range []string{"*/testdata/*/*/" + evidence.RunFile, "*/*/testdata/*/*/" + evidence.RunFile} {
		files, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			copies[filepath.Dir(file)] = copied(t, filepath.Dir(file))
		}
	}
	if len(copies) < 40 {
		t.Fatalf("%d recordings", len(copies))
	}
	return copies
}

func copied(t *testing.T, folder string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "drained")
	if err := os.CopyFS(to, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return to
}

// judgedIn judges the recording in a folder, and keeps the verdict there.
func judgedIn(t *testing.T, folder string) Recording {
	t.Helper()
	r, err := Judge(folder, nil)
	if err == nil {
		err = r.Keep()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is read from verdict.json is the verdict that was made.
func TestAKeptVerdictIsTheOneThatWasMade(t *testing.T) {
	for name, folder := range recordings(t) {
		made := judgedIn(t, folder)
		read, err := Read(folder, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !read.taken || read.Misfit != "" {
			t.Errorf("%s: it was judged again: %q", name, read.Misfit)
		}
		if diff := cmp.Diff(made.Verdict, read.Verdict); diff != "" {
			t.Errorf("%s: the verdict (-made +read):\n%s", name, diff)
		}
	}
}

func TestAVerdictThatDoesNotFitIsMadeAgain(t *testing.T) {
	const drained = module + "/reports/testdata/recorded/nftables-drained"
	replaced := func(name, old, by string) func(*testing.T, string) {
		return edited(name, func(text []byte) []byte { return bytes.Replace(text, []byte(old), []byte(by), 1) })
	}
	run := func(edit func(*evidence.Run)) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			var of evidence.Run
			file := filepath.Join(folder, evidence.RunFile)
			if err := store.ReadJSON(file, &of); err != nil {
				t.Fatal(err)
			}
			edit(&of)
			if err := store.WriteJSON(file, of); err != nil {
				t.Fatal(err)
			}
		}
	}
	half := func(text []byte) []byte { return text[:len(text)/2] }
	for _, row := range []struct {
		sentence string
		change   func(t *testing.T, folder string)
		taken    bool
		misfit   string
	}{
		{"nothing has changed", func(*testing.T, string) {}, true, ""},
		{"the clean-up has taken its time", run(func(r *evidence.Run) { r.Length *= 2 }), true, ""},
		{"it was never judged", func(t *testing.T, folder string) {
			if err := os.Remove(filepath.Join(folder, evidence.VerdictFile)); err != nil {
				t.Fatal(err)
			}
		}, false, ""},
		{"another build judged", replaced(evidence.VerdictFile, `"build": "`, `"build": "v0`), false, "another build"},
		{"a newer build judged, whose outcomes this one does not know", edited(evidence.VerdictFile, func([]byte) []byte {
			return []byte(`{"build": "v99", "verdict": {"outcome": "undecided"}}`)
		}), false, "another build"},
		{"half of the verdict is there", edited(evidence.VerdictFile, half), false, "damaged verdict.json"},
		{"a word of the verdict is another", replaced(evidence.VerdictFile, `"outcome": "pass"`, `"outcome": "fail"`), false,
			"damaged verdict.json"},
		{"it is expected to do something else", run(func(r *evidence.Run) { r.Expect = r.Expect[1:] }), false, "other evidence"},
		{"a file is damaged", edited(evidence.HitsFile, half), false, "damaged evidence"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := copied(t, drained)
			judgedIn(t, folder)
			row.change(t, folder)
			read, err := Read(folder, nil)
			if err != nil {
				t.Fatal(err)
			}
			if read.taken != row.taken || read.Misfit != row.misfit {
				t.Errorf("taken: %v, want %v; misfit %q, want %q", read.taken, row.taken, read.Misfit, row.misfit)
			}
			made, err := Judge(folder, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(made.Verdict, read.Verdict); diff != "" {
				t.Errorf("the verdict (-made +read):\n%s", diff)
			}
		})
	}
}

// edited returns a function that changes a file of a folder.
func edited(name string, edit func([]byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		file := filepath.Join(folder, name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, edit(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Of what was not recorded whole nothing is kept, so that it is judged by whatever is there.
func TestWhatIsNotWholeIsNotKept(t *testing.T) {
	for _, row := range []struct {
		sentence string
		record   func(folder string) error
		kept     bool
	}{
		{"a recording", func(folder string) error {
			return store.Write(folder, evidence.Evidence{Run: evidence.Run{Unloaded: true}})
		}, true},
		{"one that was skipped", func(folder string) error {
			return store.Write(folder, evidence.Evidence{Run: evidence.Run{Skipped: "no IP_VS"}})
		}, false},
		{"one that was cut off", func(folder string) error {
			recorder, err := store.Record(folder, evidence.Run{Unloaded: true})
			if err == nil {
				recorder.Abort()
			}
			return err
		}, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "drained")
			if err := row.record(folder); err != nil {
				t.Fatal(err)
			}
			judgedIn(t, folder)
			if _, err := os.Stat(filepath.Join(folder, evidence.VerdictFile)); (err == nil) != row.kept {
				t.Errorf("verdict.json: %v, want one: %v", err, row.kept)
			}
		})
	}
}

// Whoever watches sees the hits, and the run before that.
func TestARecordingIsWatched(t *testing.T) {
	var of string
	seen := 0
	rec, err := Read(module+"/reports/testdata/recorded/nftables-drained", func(run evidence.Run) func(evidence.Hit, error) {
		of = run.Scenario
		return func(evidence.Hit, error) { seen++ }
	})
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, lane := range rec.Timeline.Lanes {
		sent += lane.Summary.Requests
	}
	if of != rec.Run.Scenario || seen != sent || sent == 0 {
		t.Errorf("%d of %d hits of %s, want all of %s", seen, sent, of, rec.Run.Scenario)
	}
}
