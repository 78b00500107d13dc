package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

func TestSpansSurviveTheDisk(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		want := rapid.SliceOfN(anySpan(), 1, 20).Draw(t, "spans")
		for _, s := range want {
			if err := AppendSpan(dir, s); err != nil {
				t.Fatal(err)
			}
		}
		got, err := ReadSpans(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func anySpan() *rapid.Generator[evidence.Span] {
	began := time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC)
	return rapid.Custom(func(t *rapid.T) evidence.Span {
		return evidence.Span{
			Part: rapid.SampledFrom(spanned()).Draw(t, "part"), Scenario: rapid.StringMatching("[a-z\n]{0,9}").Draw(t, "scenario"),
			Began:   began.Add(time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "began"))),
			Seconds: rapid.Float64Range(0, 1e4).Draw(t, "seconds"),
		}
	})
}

// spanned are the parts that spans can have.
func spanned() []evidence.Part {
	return slices.DeleteFunc(evidence.Parts(), func(p evidence.Part) bool { return p == evidence.IdlePart })
}

// Lines of concurrent writers are never mixed.
func TestSpansOfSeveralWritersAreAllWhole(t *testing.T) {
	dir := t.TempDir()
	var writers sync.WaitGroup
	const lines = 50
	for _, part := range spanned() {
		writers.Go(func() {
			for range lines {
				if err := AppendSpan(dir, evidence.Span{Part: part, Scenario: strings.Repeat("s", 5000)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	spans, err := ReadSpans(dir)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[evidence.Part]int)
	for _, s := range spans {
		count[s.Part]++
	}
	for _, part := range spanned() {
		if count[part] != lines {
			t.Errorf("%s: %d spans, want %d", part, count[part], lines)
		}
	}
}

func TestSpansAreReadAsFarAsTheyAreWhole(t *testing.T) {
	const fine = `{"part":"clean-up","mode":"ipvs","began":"2026-11-21T01:02:03Z","seconds":1.5}` + "\n"
	for _, tc := range []struct {
		sentence string
		file     string
		want     string // in the error; empty: none
		spans    int    // that can still be read
	}{
		{"no spans are whole", "", "", 0},
		{"each line is a span", fine + fine, "", 2},
		{"a last line that was cut off", fine + fine[:10], "", 1},
		{"a last line that lacks only its end", fine + strings.TrimSpace(fine), "", 1},
		{"a line that was cut off before another was added", fine + fine[:10] + fine, "line 2: not a span", 1},
		{"an empty line", "\n" + fine, "line 1: not a span", 0},
		{"JSON that is not a span", fine + "[1]\n" + fine, "line 2: not a span", 1},
		{"an unknown part", fine + `{"part":"lunch"}` + "\n", `line 2: not a span: unknown part "lunch"`, 1},
		{"a span of the time without one", fine + `{"part":"idle"}` + "\n", `line 2: not a span: unknown part "idle"`, 1},
		{"time that was won back", fine + `{"part":"settle","seconds":-2}` + "\n", "line 2: not a span: settle took -2 s", 1},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "evidence"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(evidence.SpansPath(dir), []byte(tc.file), 0o644); err != nil {
				t.Fatal(err)
			}
			spans, err := ReadSpans(dir)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if len(spans) != tc.spans {
				t.Errorf("%d spans, want %d", len(spans), tc.spans)
			}
		})
	}
	dir := t.TempDir()
	if err := AppendSpan(dir, evidence.Span{Part: evidence.IdlePart}); err == nil || !strings.Contains(err.Error(), `unknown part "idle"`) {
		t.Errorf("a span of the time without one: %v", err)
	}
	if spans, err := ReadSpans(dir); spans != nil || err != nil {
		t.Errorf("of a folder without the file: %v, %v", spans, err)
	}
}
