package compare_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
)

func TestATrend(t *testing.T) {
	path := filepath.Join(t.TempDir(), compare.HistoryFile)
	h, added := appended(t, path, folders(t, nights(t)...)...)
	golden.File(t, "testdata/trend.md", render(t, reports.SheetMarkdown, h, added))
	golden.File(t, "testdata/trend.html", render(t, reports.SheetHTML, h, added))
	lines := readFile(t, path)
	golden.File(t, "testdata/history.jsonl", lines[:strings.Index(lines, `{"schema":1,"run":"night-1"`)])
	again, err := compare.ReadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(render(t, reports.SheetMarkdown, h, added), render(t, reports.SheetMarkdown, again, added)); diff != "" {
		t.Errorf("(-as appended +as read):\n%s", diff)
	}
}

func TestARunIsAppendedOnce(t *testing.T) {
	all := nights(t)[:3]
	dirs := folders(t, all...)
	path := filepath.Join(t.TempDir(), compare.HistoryFile)
	appended(t, path, dirs[0])
	once := readFile(t, path)
	appended(t, path, dirs...)
	whole := readFile(t, path)
	if !strings.HasPrefix(whole, once) {
		t.Error("lines that were there changed")
	}
	judgedAnew := night(all[1], 0, func(s *model.Scenario) { s.Outcome = verdict.Fail })
	judgedAnew.Run.ID = all[1].Run.ID
	h, added := appended(t, path, append(dirs, folders(t, judgedAnew)...)...)
	if added.Runs != 0 || readFile(t, path) != whole {
		t.Errorf("%d runs were appended again", added.Runs)
	}
	if want := 3 * len(all[0].Scenarios); len(h.Lines) != want {
		t.Errorf("%d lines, want %d", len(h.Lines), want)
	}
	elsewhere := all[1]
	elsewhere.Run.Began = elsewhere.Run.Began.Add(time.Nanosecond) // the same second on another machine
	if _, added := appended(t, path, folders(t, elsewhere)...); added.Runs != 1 {
		t.Error("another run of the same id was not appended")
	}
}

// Whatever a killed writer left, the rest is read, the next line begins anew and what was lost is appended.
func TestATornLineLosesNothingElse(t *testing.T) {
	dirs := folders(t, nights(t)[:3]...)
	path := filepath.Join(t.TempDir(), compare.HistoryFile)
	want, _ := appended(t, path, dirs...)
	whole := readFile(t, path)
	second := strings.Index(whole, `"run":"night-2"`)
	rapid.Check(t, func(rt *rapid.T) {
		cut := rapid.IntRange(second, len(whole)-1).Draw(rt, "cut")
		writeFile(t, path, whole[:cut])
		torn, err := compare.ReadHistory(path)
		if err != nil {
			rt.Fatal(err)
		}
		got, _ := appended(t, path, dirs...)
		if after := readFile(t, path); !strings.HasPrefix(after, whole[:cut]) {
			rt.Fatal("what was there changed")
		}
		if diff := cmp.Diff(want.Lines, got.Lines); diff != "" {
			rt.Fatalf("(-whole +repaired):\n%s", diff)
		}
		again, err := compare.ReadHistory(path)
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(again.Torn, torn.Torn) || len(again.Lines) != len(want.Lines) {
			rt.Fatalf("torn are %v, then %v; %d lines", torn.Torn, again.Torn, len(again.Lines))
		}
	})
	writeFile(t, path, whole[:second])
	h, added := appended(t, path)
	if said := render(t, reports.SheetMarkdown, h, added); len(h.Torn) != 1 ||
		!strings.Contains(said, fmt.Sprintf("Line %d of the history is torn", h.Torn[0])) {
		t.Errorf("torn %v:\n%s", h.Torn, said)
	}
}

// The trend is the same in whatever order and portions runs are appended, and histories joined.
func TestAnyOrderGivesTheSameTrend(t *testing.T) {
	all := nights(t)
	for i := range all {
		all[i].Scenarios = slices.DeleteFunc(all[i].Scenarios, func(s model.Scenario) bool { return s.ID != "drained" && s.ID != "recreate" })
	}
	dirs := folders(t, all...)
	path := filepath.Join(t.TempDir(), compare.HistoryFile)
	h, _ := appended(t, path, dirs...)
	want := render(t, reports.SheetMarkdown, h, compare.Added{})
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(t.TempDir(), compare.HistoryFile)
		order := rapid.Permutation(dirs).Draw(rt, "order")
		cut := rapid.IntRange(0, len(order)).Draw(rt, "cut")
		appended(t, path, order[:cut]...)
		other := filepath.Join(t.TempDir(), compare.HistoryFile)
		appended(t, other, order[rapid.IntRange(0, cut).Draw(rt, "again from"):]...)
		writeFile(t, path, readFile(t, path)+readFile(t, other))
		appended(t, path, order...)
		h, err := compare.ReadHistory(path)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, render(t, reports.SheetMarkdown, h, compare.Added{})); diff != "" {
			rt.Fatalf("(-in order +as drawn):\n%s", diff)
		}
	})
}

// If several writers begin together, every run that they append is read, and each once.
func TestManyWritersLoseNoRun(t *testing.T) {
	all := nights(t)
	dirs := folders(t, all...)
	path := filepath.Join(t.TempDir(), compare.HistoryFile)
	errs := make(chan error)
	for n := range 4 {
		go func() {
			order := slices.Concat(dirs[n:], dirs[:n])
			_, _, err := compare.AppendHistory(path, order)
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	h, err := compare.ReadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(all) * len(all[0].Scenarios); len(h.Lines) != want || len(h.Torn) > 0 {
		t.Errorf("%d lines, want %d; torn are %v", len(h.Lines), want, h.Torn)
	}
}

func TestWhatIsNotAppended(t *testing.T) {
	first := recordedRun(t)
	going := first
	going.Run.Ended = time.Time{}
	newer := t.TempDir()
	writeFile(t, filepath.Join(newer, reports.ReportFile), `{"apiVersion":"rollcall/v9","kind":"ConformanceReport","run":{}}`)
	unjudged := t.TempDir()
	session := evidence.Session{Schema: 1, ID: "unjudged", Began: first.Run.Began}
	if err := store.WriteJSON(filepath.Join(unjudged, "evidence", evidence.SessionFile), session); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), compare.HistoryFile)
	dirs := append(folders(t, going, first), newer, unjudged, t.TempDir())
	h, added := appended(t, path, dirs...)
	if added.Runs != 1 || len(h.Lines) != len(first.Scenarios) {
		t.Errorf("%d runs with %d lines were appended", added.Runs, len(h.Lines))
	}
	if diff := cmp.Diff([]string{dirs[0], unjudged}, added.Going); diff != "" {
		t.Errorf("going (-want +got):\n%s", diff)
	}
	said := render(t, reports.SheetMarkdown, h, added)
	for i, want := range []string{"use a newer Rollcall", "not a run folder"} {
		if i >= len(added.Bad) || !strings.Contains(added.Bad[i].Error(), want) {
			t.Errorf("bad are %v, want %q", added.Bad, want)
		}
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q:\n%s", want, said)
		}
	}
}

// A run without a report is judged when it is appended.
func TestARunWithoutAReportIsJudged(t *testing.T) {
	dir := t.TempDir()
	session := evidence.Session{Schema: 1, ID: "r", Began: time.Unix(1, 0).UTC(), Ended: time.Unix(2, 0).UTC()}
	run := evidence.Run{Suite: "rollout", Scenario: "drained", Mode: "ipvs", Attempt: 1, Skipped: "no ip_vs"}
	for _, err := range []error{
		store.WriteJSON(filepath.Join(dir, "evidence", evidence.SessionFile), session),
		store.Write(filepath.Join(dir, "evidence", "ipvs", "rollout", "drained"), evidence.Evidence{Run: run}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	h, added := appended(t, filepath.Join(t.TempDir(), compare.HistoryFile), dir)
	if added.Runs != 1 || len(h.Lines) != 1 || h.Lines[0].Outcome != "skipped" || h.Lines[0].Because != "no ip_vs" {
		t.Errorf("%+v: %+v", added, h.Lines)
	}
}

func TestOnlyAHistoryIsAppendedTo(t *testing.T) {
	for _, row := range []struct{ sentence, data, want string }{
		{"a report", `{"apiVersion": "rollcall/v1alpha1"}` + "\n", "line 1 is not a line of a history: give another file: --history=FILE"},
		{"prose after a line", `{"schema":1,"run":"r","scenario":"a/b"}` + "\nhello\n", "line 2 is not a line of a history"},
		{"a history of the future", `{"schema":9,"run":"r"}` + "\n", "schema 9, this build reads up to 1: use a newer Rollcall"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), compare.HistoryFile)
			writeFile(t, path, row.data)
			_, _, err := compare.AppendHistory(path, folders(t, recordedRun(t)))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
			if got := readFile(t, path); got != row.data {
				t.Errorf("it was written to:\n%s", got)
			}
		})
	}
}
