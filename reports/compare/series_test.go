package compare_test

import (
	"path/filepath"
	"testing"

	"example.com/rollcall/reports/compare"
)

func TestFlakes(t *testing.T) {
	for _, row := range []struct {
		sentence string
		outcomes string // p f i s for pass, fail, inconclusive and skipped; P F under a later Kubernetes
		want     compare.Flake
	}{
		{"nothing but passes", "ppp", compare.Flake{Decided: 3}},
		{"a fail among passes", "ppfpp", compare.Flake{Other: 1, Decided: 5}},
		{"a pass among fails", "fpff", compare.Flake{Other: 1, Decided: 4}},
		{"inconclusive ones count apart", "pipis", compare.Flake{Decided: 2, Inconclusive: 2}},
		{"an upgrade that breaks it is not a flake", "ppppFFFF", compare.Flake{Decided: 8}},
		{"nothing at all", "ss", compare.Flake{}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			outcomes := map[rune]string{'p': "pass", 'f': "fail", 'i': "inconclusive", 's': "skipped"}
			var s compare.Series
			for _, r := range row.outcomes {
				l := compare.Line{Kubernetes: "v1.36.3", Outcome: outcomes[r]}
				if r < 'a' {
					l = compare.Line{Kubernetes: "v1.37.0", Outcome: outcomes[r-'A'+'a']}
				}
				s.Lines = append(s.Lines, l)
			}
			if got := s.Flake(); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

func TestHistoryNumbers(t *testing.T) {
	all := nights(t)
	h, _ := appended(t, filepath.Join(t.TempDir(), compare.HistoryFile), folders(t, all...)...)
	conditions := func(minor string) compare.Conditions {
		for _, l := range h.Lines {
			if c := l.Conditions(); c.Scenario == "recorded/drained" && c.Mode == "nftables" && c.Minor == minor {
				return c
			}
		}
		t.Fatalf("no line is of %s", minor)
		return compare.Conditions{}
	}
	for _, row := range []struct {
		sentence, minor string
		but             []string
		runs            int
	}{
		{"before the upgrade", "v1.37", nil, 5},
		{"before the upgrade but for a night", "v1.37", []string{"night-1"}, 4},
		{"after it", "v1.38", nil, 2},
	} {
		if gaps := h.Values("status_gap_ms", conditions(row.minor), row.but); len(gaps) != row.runs {
			t.Errorf("%s: %v", row.sentence, gaps)
		}
	}
}
