package trend_test

import (
	"path/filepath"
	"testing"

	"rollcall/reports/trend"
)

func TestFlakes(t *testing.T) {
	for _, row := range []struct {
		sentence string
		outcomes string // p f i s, and P F under a later Kubernetes
		want     trend.Flake
	}{
		{"nothing but passes", "ppp", trend.Flake{Decided: 3}},
		{"a fail among passes", "ppfpp", trend.Flake{Other: 1, Decided: 5}},
		{"a pass among fails", "fpff", trend.Flake{Other: 1, Decided: 4}},
		{"inconclusive ones count apart", "pipis", trend.Flake{Decided: 2, Inconclusive: 2}},
		{"an upgrade that breaks it is no flake", "ppppFFFF", trend.Flake{Decided: 8}},
		{"nothing at all", "ss", trend.Flake{}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			outcomes := map[rune]string{'p': "pass", 'f': "fail", 'i': "inconclusive", 's': "skipped"}
			var s trend.Series
			for _, r := range row.outcomes {
				l := trend.Line{Kubernetes: "v1.36.3", Outcome: outcomes[r]}
				if r < 'a' {
					l = trend.Line{Kubernetes: "v1.37.0", Outcome: outcomes[r-'A'+'a']}
				}
				s.Lines = append(s.Lines, l)
			}
			if got := s.Flake(); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

func TestHistoryBaselines(t *testing.T) {
	all := nights(t)
	h, _ := appended(t, filepath.Join(t.TempDir(), trend.HistoryFile), folders(t, all...)...)
	conditions := func(minor string) trend.Conditions {
		for _, l := range h.Lines {
			if c := l.Conditions(); c.Scenario == "rollout/drained-rolling-update" && c.Mode == "iptables" && c.Minor == minor {
				return c
			}
		}
		t.Fatalf("no line is of %s", minor)
		return trend.Conditions{}
	}
	if u := h.Baselines(conditions("v1.36"))["status_gap_ms"]; u.Runs != 5 || !u.Enough() {
		t.Errorf("before the upgrade: %+v", u)
	}
	if u := h.Baselines(conditions("v1.36"), "night-1")["status_gap_ms"]; u.Runs != 4 || u.Enough() {
		t.Errorf("before the upgrade but for a night: %+v", u)
	}
	if u := h.Baselines(conditions("v1.37"))["status_gap_ms"]; u.Runs != 2 {
		t.Errorf("after it: %+v", u)
	}
}
