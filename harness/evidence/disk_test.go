package evidence

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var anyHit = rapid.Custom(func(t *rapid.T) Hit {
	word := rapid.StringMatching(`[a-z0-9-]{0,12}`)
	span := rapid.Int64Range(0, int64(time.Hour))
	return Hit{
		Lane: word.Draw(t, "lane"), Seq: rapid.Uint64Range(0, 1<<40).Draw(t, "seq"),
		Due: time.Duration(span.Draw(t, "due")), Sent: time.Duration(span.Draw(t, "sent")), Took: time.Duration(span.Draw(t, "took")),
		Status: rapid.IntRange(0, 599).Draw(t, "status"),
		By:     Server{Version: word.Draw(t, "version"), Pod: word.Draw(t, "pod"), Node: word.Draw(t, "node")},
		Reused: rapid.Bool().Draw(t, "reused"), Attempts: rapid.IntRange(0, 3).Draw(t, "attempts"),
		LocalPort: rapid.IntRange(0, 65535).Draw(t, "port"), Fault: rapid.SampledFrom(append(Faults(), NoFault)).Draw(t, "fault"),
	}
})

func TestEvidenceSurvivesTheDisk(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		want := Evidence{
			Run: Run{Schema: SchemaVersion, Scenario: "s", Began: time.Date(2026, 11, 21, 1, 2, 3, 4, time.UTC), Covers: []string{"C31"},
				Lanes: []Lane{{ID: "a", Rate: 5}}, Expect: []Expectation{{Rule: "r", Max: time.Second}}},
			Hits:   rapid.SliceOfN(anyHit, 1, 50).Draw(t, "hits"),
			Events: []Event{{At: 1, Kind: PodReady, By: Server{Pod: "p"}}, {At: 2, Kind: ReplicaSetScaled, Object: "rs", Count: 3}},
		}
		if err := Write(dir, want); err != nil {
			t.Fatal(err)
		}
		got, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// written is a folder with a small run in it.
func written(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	hits := make([]Hit, 100)
	for i := range hits {
		hits[i] = Hit{Lane: "a", Seq: uint64(i), Sent: time.Duration(i) * time.Millisecond}
	}
	if err := Write(dir, Evidence{Run: Run{Schema: SchemaVersion}, Hits: hits, Events: []Event{{Kind: PodGone}}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadRefusesWhatIsNotWhole(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		damage   func(dir string) error
		names    string
	}{
		{"without run.json a folder is no run", func(dir string) error { return os.Remove(filepath.Join(dir, RunFile)) }, RunFile},
		{"a missing tape is named", func(dir string) error { return os.Remove(filepath.Join(dir, HitsFile)) }, HitsFile},
		{"a truncated tape is named", func(dir string) error { return os.Truncate(filepath.Join(dir, HitsFile), 500) }, HitsFile},
		{"an unknown kind of event is named with its line", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, EventsFile), []byte("{\"kind\":\"pod-gone\"}\n{\"kind\":\"pod-flew\"}\n"), 0o644)
		}, "line 2"},
		{"a line that is no JSON is named with its line", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, EventsFile), []byte("{\"kind\":\"po"), 0o644)
		}, "line 1"},
		{"a newer schema is refused with the remedy", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, RunFile), []byte(`{"schema": 99}`), 0o644)
		}, "use a newer Rollcall"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			dir := written(t)
			if err := tc.damage(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), tc.names) {
				t.Errorf("error %v, want one with %q", err, tc.names)
			}
		})
	}
}

func TestEvidenceIsNeverOverwritten(t *testing.T) {
	dir := written(t)
	if err := Write(dir, Evidence{Run: Run{Schema: SchemaVersion, Scenario: "other"}}); err == nil {
		t.Error("a second run was written over the first")
	}
	if ev, err := Read(dir); err != nil || ev.Run.Scenario != "" {
		t.Errorf("the first run is not what it was: %+v, %v", ev.Run, err)
	}
}

func TestSkippedRunHasNoTapes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "skipped")
	if err := Write(dir, Evidence{Run: Run{Schema: SchemaVersion, Skipped: "no IP_VS"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, HitsFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("hits of a run that was skipped: %v", err)
	}
	if ev, err := Read(dir); err != nil || ev.Run.Skipped == "" {
		t.Errorf("%+v, %v", ev, err)
	}
}
