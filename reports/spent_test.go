package reports_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// sessionOf is a run folder with a session of so many seconds, 0 for one that was cut off, and with spans.
func sessionOf(t *testing.T, seconds int, spans ...evidence.Span) string {
	t.Helper()
	dir := t.TempDir()
	session := evidence.Session{Schema: 1, ID: "r", Began: began()}
	if seconds > 0 {
		session.Ended = began().Add(time.Duration(seconds) * time.Second)
	}
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), session)
	spend(t, dir, spans...)
	return dir
}

func TestSecondsByPart(t *testing.T) {
	for _, row := range []struct {
		sentence string
		seconds  int
		spans    []evidence.Span
		want     map[evidence.Part]float64
	}{
		{"nothing was noted", 60, nil, nil},
		{"one after the other", 60, []evidence.Span{spent("cluster", 0, 40), spent("steady", 40, 20)},
			map[evidence.Part]float64{"cluster": 40, "steady": 20, "idle": 0}},
		{"side by side they add up", 60, []evidence.Span{spent("steady", 10, 20), spent("steady", 20, 20)},
			map[evidence.Part]float64{"steady": 40, "idle": 30}},
		{"one within another", 60, []evidence.Span{spent("deploy", 10, 40), spent("steady", 20, 5)},
			map[evidence.Part]float64{"deploy": 40, "steady": 5, "idle": 20}},
		{"before the run began and after it ended", 60, []evidence.Span{spent("image", -30, 40), spent("clean-up", 50, 30)},
			map[evidence.Part]float64{"image": 40, "clean-up": 30, "idle": 40}},
		{"all of it after the run ended", 60, []evidence.Span{spent("clean-up", 70, 30)}, map[evidence.Part]float64{"clean-up": 30, "idle": 60}},
		{"a run that was cut off", 0, []evidence.Span{spent("cluster", 10, 40)}, map[evidence.Part]float64{"cluster": 40}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r, err := reports.Load(sessionOf(t, row.seconds, row.spans...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, r.Run.Seconds); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Idle is every second of the run that no span covers, however they overlap and in whatever order they ended.
func TestIdleIsWhatNoSpanCovers(t *testing.T) {
	const seconds = 40
	dir := sessionOf(t, seconds)
	rapid.Check(t, func(rt *rapid.T) {
		os.Remove(filepath.Join(dir, "evidence", evidence.SpansFile))
		idle := make(map[int]bool)
		for second := range seconds {
			idle[second] = true
		}
		for range rapid.IntRange(1, 8).Draw(rt, "spans") {
			from, length := rapid.IntRange(-10, seconds+10).Draw(rt, "from"), rapid.IntRange(0, 20).Draw(rt, "length")
			spend(t, dir, spent("rollout", float64(from), float64(length)))
			for second := from; second < from+length; second++ {
				delete(idle, second)
			}
		}
		r, err := reports.Load(dir)
		if err != nil {
			rt.Fatal(err)
		}
		if got := r.Run.Seconds[evidence.IdlePart]; got != float64(len(idle)) {
			rt.Fatalf("idle %g s, want %d", got, len(idle))
		}
	})
}

func TestDamagedSpansAreReported(t *testing.T) {
	dir := sessionOf(t, 60, spent("cluster", 0, 40))
	writing(evidence.SpansFile, `{"part":"lunch"}`+"\n")(t, filepath.Join(dir, "evidence"))
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`evidence: read evidence/spans.jsonl: line 1: not a span: unknown part "lunch"`}
	if diff := cmp.Diff(want, r.Run.Broken); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHowARunWentIsToldInLinesThatFit(t *testing.T) {
	long := strings.Repeat("the rate was lowered because clients were late, ", 5)
	seconds := make(map[evidence.Part]float64)
	for _, part := range evidence.Parts() {
		seconds[part] = 12345.6
	}
	for _, row := range []struct {
		sentence string
		run      model.Run
		took     float64
		want     []string // what follows the totals
	}{
		{"nothing is known, as of a run of long ago", model.Run{}, 60, nil},
		{"a profile that leaves nothing out", model.Run{Profile: "full", Expected: 1180}, 1210.4,
			[]string{"profile full; expected 1180 s, took 1210 s"}},
		{"a profile that leaves one out", model.Run{Profile: "core", LeftOut: 1}, 60,
			[]string{"profile core: 1 scenario of each mode left out, --profile=full runs all"}},
		{"a run that was cut off", model.Run{Profile: "smoke", LeftOut: 99, Expected: 180}, 0, []string{
			"profile smoke: 99 scenarios of each mode left out, --profile=full runs all; expected 180 s, and has not ended"}},
		{"its time was noted", model.Run{Seconds: map[evidence.Part]float64{"cluster": 58.2, "clean-up": 60, "idle": 12}}, 60, []string{
			"time: cluster 58 s, clean-up 60 s (recordings side by side add up), idle 12 s"}},
		{"all there is, at its longest",
			model.Run{Profile: "smoke", LeftOut: 9999, Expected: 99999, Seconds: seconds, Steps: []string{"one", long}}, 99999, []string{
				"profile smoke: 9,999 scenarios of each mode left out, --profile=full runs all; expected 99999 s, took 99999 s",
				"time: image 12346 s, cluster 12346 s, deploy 12346 s, steady 12346 s, rollout 12346 s, settle 12346 s, clean-up",
				"    12346 s (recordings side by side add up), idle 12346 s",
				"one",
				"the rate was lowered because clients were late, the rate was lowered because clients were late, the rate was lowered",
				"    because clients were late, the rate was lowered because clients were late, the rate was lowered because clients were",
				"    late,",
			}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			text := printed(t, reports.Terminal, model.Report{Run: row.run, Summary: model.Summary{Seconds: row.took}})
			_, told, _ := strings.Cut(strings.TrimSpace(text), "\n")
			var lines []string
			if told != "" {
				lines = strings.Split(told, "\n")
			}
			if diff := cmp.Diff(row.want, lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, line := range lines {
				if utf8.RuneCountInString(line) > 120 {
					t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
				}
			}
		})
	}
}
