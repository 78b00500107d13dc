package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// laid is evidence with its streams as slices, to compare.
type laid struct {
	Run      evidence.Run
	Hits     []evidence.Hit
	Arrivals []evidence.Arrival
	Events   []evidence.Event
	Damage   []evidence.Damage
}

func layOut(t interface{ Fatal(...any) }, ev evidence.Evidence) laid {
	return laid{ev.Run, all(t, ev.Hits), all(t, ev.Arrivals), ev.Events, ev.Damage}
}

func TestEvidenceSurvivesTheDisk(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		want := evidence.Evidence{
			Run: evidence.Run{Schema: evidence.SchemaVersion, Scenario: "s", Began: time.Date(2026, 11, 21, 1, 2, 3, 4, time.UTC),
				Covers: []string{"C31"},
				Lanes:  []evidence.Lane{{ID: "a", Rate: 5}}, Clocks: []evidence.ClockReading{{Node: "w", Offset: -3}},
				Expect: []evidence.Expectation{{Rule: "r", Max: time.Second}}},
			Hits:     evidence.Hits(rapid.SliceOfN(anyHit, 0, 50).Draw(t, "hits")),
			Arrivals: evidence.Arrivals(rapid.SliceOfN(anyArrival, 0, 50).Draw(t, "arrivals")),
			Events:   inOrder(rapid.SliceOfN(anyEvent, 0, 20).Draw(t, "events")),
		}
		if err := Write(dir, want); err != nil {
			t.Fatal(err)
		}
		got, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range got.Run.Files {
			if len(f.SHA256) != 64 {
				t.Fatalf("%+v", f)
			}
		}
		names := []string{evidence.HitsFile, evidence.ArrivalsFile, evidence.EventsFile}
		if !slices.EqualFunc(got.Run.Files, names, func(f evidence.File, name string) bool { return f.Name == name }) {
			t.Fatalf("files %+v", got.Run.Files)
		}
		got.Run.Files = nil
		if diff := cmp.Diff(layOut(t, want), layOut(t, got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// written returns a folder with a small run.
func written(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	hits := make([]evidence.Hit, 100)
	for i := range hits {
		hits[i] = evidence.Hit{Lane: "a", Seq: uint64(i), Sent: time.Duration(i) * time.Millisecond}
	}
	events := []evidence.Event{{Kind: evidence.PodGone}, {Kind: evidence.PodReady}, {At: 1, Kind: evidence.PodGone}}
	if err := Write(dir,
		evidence.Evidence{Hits: evidence.Hits(hits), Arrivals: evidence.Arrivals([]evidence.Arrival{{Lane: "a"}}), Events: events}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAFolderThatIsNoRunIsRefused(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		run      string // run.json; empty: none
		want     string
	}{
		{"without run.json a folder is not a run", "", "no such file or directory: the folder is not a recorded scenario: record it again"},
		{"a run.json that breaks off", `{"schema": 2`, "byte 12: unexpected end of JSON input: the folder is not a recorded scenario"},
		{"a run.json that is something else", `{"schema": "2"}`, "cannot unmarshal string"},
		{"a run.json without a schema", `{}`, "it has no schema"},
		{"a newer schema", `{"schema": 99}`, "it has schema 99, this build reads 4 alone: use a newer Rollcall"},
		{"an older schema", `{"schema": 3}`, "it has schema 3, this build reads 4 alone: use the Rollcall that recorded it"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			file := filepath.Join(written(t), evidence.RunFile)
			err := os.Remove(file)
			if tc.run != "" {
				err = os.WriteFile(file, []byte(tc.run), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = Read(filepath.Dir(file))
			if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %s: %s", err, file, tc.want)
			}
			if got := errors.Is(err, fs.ErrNotExist); got != (tc.run == "") {
				t.Errorf("not there: %v", got)
			}
		})
	}
}

func TestDamageNamesFileAndPosition(t *testing.T) {
	in := func(name string, change func(path string) error) func(string) error {
		return func(dir string) error { return change(filepath.Join(dir, name)) }
	}
	rewrite := func(content string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(content), 0o644) }
	}
	flip := func(at int) func(string) error {
		return func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			data[at] ^= 1
			return os.WriteFile(path, data, 0o644)
		}
	}
	truncate := func(path string) error { return os.Truncate(path, 500) }
	add := func(more string) func(string) error {
		return func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, append(data, more...), 0o644)
		}
	}
	for _, tc := range []struct {
		sentence string
		damage   func(dir string) error
		want     []string // beginnings
		hits     int      // that can still be read
		events   int
	}{
		{"nothing", func(string) error { return nil }, nil, 100, 3},
		{"hits are gone", in(evidence.HitsFile, os.Remove), []string{"hits.parquet: no such file"}, 0, 3},
		{"arrivals are gone", in(evidence.ArrivalsFile, os.Remove), []string{"arrivals.parquet: no such file"}, 100, 3},
		{"events are gone", in(evidence.EventsFile, os.Remove), []string{"events.jsonl: no such file"}, 100, 0},
		{"hits were cut off", in(evidence.HitsFile, truncate),
			[]string{"hits.parquet: byte 500: it was cut off after it was recorded: run.json says "}, 0, 3},
		{"a bit of the hits flipped", in(evidence.HitsFile, flip(60)), []string{"hits.parquet: somewhere in its "}, 0, 3},
		{"a bit of the arrivals flipped", in(evidence.ArrivalsFile, flip(60)), []string{"arrivals.parquet: somewhere in its "}, 100, 3},
		{"an event was added", in(evidence.EventsFile, add(`{"at":2,"kind":"pod-gone"}`+"\n")),
			[]string{"events.jsonl: byte 82: it was added to after it was recorded: it has 109 bytes",
				"events.jsonl: line 4: it is the last, run.json says 3"}, 100, 4},
		{"an event was taken out", in(evidence.EventsFile, rewrite(`{"at":0,"kind":"pod-gone"}`+"\n")),
			[]string{"events.jsonl: byte 27: it was cut off", "events.jsonl: line 1: it is the last, run.json says 3"}, 100, 1},
		{"an event was edited",
			in(evidence.EventsFile, rewrite(strings.Repeat(`{"at":0,"kind":"pod-gone"}`+"\n", 2)+`{"at":2,"kind":"pod-ready"}`+"\n")),
			[]string{"events.jsonl: somewhere in its 82 bytes it was changed after it was recorded: its SHA-256 is "}, 100, 3},
		{"an event was spoiled", in(evidence.EventsFile, rewrite(`{"at":0,"kind":"pod-gone"}`+"\n{\n")),
			[]string{"events.jsonl: byte 29: it was cut off", "events.jsonl: line 2: not an event"}, 100, 1},
		{"a file of the future", in(evidence.RunFile, rewrite(`{"schema":4,"files":[{"name":"x"}]}`)),
			[]string{"x: no such file", "x: unknown to this build, though run.json lists it"}, 0, 0},
		{"files of other folders", func(dir string) error {
			err := os.WriteFile(filepath.Join(filepath.Dir(dir), "secret"), []byte("s"), 0o644)
			return errors.Join(err, rewrite(`{"schema":4,"files":[{"name":"../secret"},{"name":"/dev/zero"},{"name":""}]}`)(
				filepath.Join(dir, evidence.RunFile)))
		}, []string{`run.json: it lists "../secret", which is outside its folder`, `run.json: it lists "/dev/zero", which is outside`,
			`run.json: it lists "", which is outside`}, 0, 0},
		{"a recording that never ended", in(evidence.RunFile, rewrite(`{"schema":4}`)), []string{
			"run.json: the recording was cut off: it got to 0s, with 0 hits, 0 arrivals and 0 events",
			"hits.segment: no such", "arrivals.segment: no such", "events.segment: no such"}, 0, 0},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			dir := written(t)
			if err := tc.damage(dir); err != nil {
				t.Fatal(err)
			}
			ev, err := Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(textsOf(ev.Damage), tc.want, strings.HasPrefix) {
				t.Errorf("damage %q, want %q", ev.Damage, tc.want)
			}
			hits, _ := ev.Hits.All()
			if len(hits) != tc.hits || len(ev.Events) != tc.events {
				t.Errorf("%d hits and %d events, want %d and %d", len(hits), len(ev.Events), tc.hits, tc.events)
			}
		})
	}
}

func TestNoBitAndNoByteOfAStreamCanBeLost(t *testing.T) {
	dir := written(t)
	damaged := func(name, what string, i int) {
		ev, err := Read(dir)
		if err != nil || len(ev.Damage) == 0 || ev.Damage[0].File != name || !strings.HasPrefix(ev.Damage[0].Text, name+": ") {
			t.Errorf("%s, %s %d: %v, %v", name, what, i, ev.Damage, err)
		}
		if name == evidence.HitsFile && ev.Hits != nil || name == evidence.ArrivalsFile && ev.Arrivals != nil || name != evidence.HitsFile &&
			ev.Hits == nil {
			t.Fatalf("%s, %s %d: what was damaged can be read, or what was not cannot", name, what, i)
		}
	}
	// flipping every byte would take seconds
	for name, step := range map[string]int{evidence.HitsFile: 7, evidence.ArrivalsFile: 7, evidence.EventsFile: 1} {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put := func(data []byte) {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for i := 0; i < len(whole); i += step {
			put(whole[:i])
			damaged(name, "cut at", i)
			whole[i] ^= 1 << (i % 8)
			put(whole)
			damaged(name, "flipped a bit of byte", i)
			whole[i] ^= 1 << (i % 8)
		}
		put(whole)
	}
	if ev, err := Read(dir); err != nil || ev.Damage != nil {
		t.Errorf("the last is not what it was: %v, %v", ev.Damage, err)
	}
}

func TestEvidenceIsNeverOverwritten(t *testing.T) {
	dir := written(t)
	if err := Write(dir, evidence.Evidence{Run: evidence.Run{Scenario: "other"}}); err == nil {
		t.Error("a second run was written over the first")
	}
	if ev, err := Read(dir); err != nil || ev.Run.Scenario != "" {
		t.Errorf("the first run is not what it was: %+v, %v", ev.Run, err)
	}
}

func TestASkippedRunHasNoStreams(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "skipped")
	if err := Write(dir, evidence.Evidence{Run: evidence.Run{Skipped: "no IP_VS"}}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("files %v, %v", entries, err)
	}
	if ev, err := Read(dir); err != nil || ev.Run.Skipped == "" || ev.Damage != nil {
		t.Errorf("%+v, %v", ev, err)
	}
}

func TestAStreamThatWasNotRecordedHasNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := Write(dir, evidence.Evidence{Hits: evidence.Hits(nil)}); err != nil {
		t.Fatal(err)
	}
	if ev, err := Read(dir); err != nil || ev.Damage != nil || ev.Hits == nil || ev.Arrivals != nil {
		t.Errorf("%+v, %v", ev, err)
	}
}

func textsOf(damage []evidence.Damage) (texts []string) {
	for _, d := range damage {
		texts = append(texts, d.Text)
	}
	return texts
}
