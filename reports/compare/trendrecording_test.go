package compare_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
)

// recordedRun returns a report of what was recorded on real clusters.
func recordedRun(t *testing.T) model.Report {
	t.Helper()
	scenarios, err := filepath.Glob("../testdata/recorded/*/golden.json")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("%d scenarios: %v", len(scenarios), err)
	}
	var all []string
	for _, path := range scenarios {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(data))
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, reports.ReportFile), fmt.Sprintf(`{
		"apiVersion": %q, "kind": %q,
		"run": {"id": "first", "began": "2026-11-20T22:00:00Z", "ended": "2026-11-20T22:10:00Z", "version": "v0.1.0", "command": ""},
		"clusters": [{"mode": "iptables", "kubernetes": "v1.37.2", "kernel": "6.12.0", "cni": "kindnet"},
			{"mode": "nftables", "kubernetes": "v1.37.2", "kernel": "6.12.0", "cni": "kindnet"}],
		"scenarios": [%s]}`, model.APIVersion, model.Kind, strings.Join(all, ",")))
	r, err := reports.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// night returns the report of the nth night, changed.
func night(r model.Report, n int, change func(*model.Scenario)) model.Report {
	r.Run.ID = fmt.Sprintf("night-%d", n)
	r.Run.Began, r.Run.Ended = r.Run.Began.AddDate(0, 0, n), r.Run.Ended.AddDate(0, 0, n)
	r.Scenarios = slices.Clone(r.Scenarios)
	if change != nil {
		for i := range r.Scenarios {
			change(&r.Scenarios[i])
		}
	}
	return r
}

// nights returns the reports of seven nights in which something happened.
func nights(t *testing.T) []model.Report {
	first := recordedRun(t)
	all := []model.Report{first}
	for n := 1; n < 7; n++ {
		all = append(all, night(first, n, func(s *model.Scenario) {
			if s.Numbers.StatusGap != nil {
				s.Numbers.StatusGap = new(*s.Numbers.StatusGap + 40*float64(n%3))
			}
			switch {
			case s.ID == "drained" && s.Mode == "iptables" && n == 2:
				s.Outcome, s.Because = verdict.Fail, "3 of 400 requests failed | <b>"
			case s.ID == "drained" && s.Mode == "iptables" && n == 4:
				s.Outcome, s.Because = verdict.Inconclusive, "the recording cannot be trusted"
			case s.ID == "drained" && s.Mode == "nftables" && n >= 5:
				s.Outcome, s.Because = verdict.Fail, "the old version replied for too long"
				s.Kubernetes = "v1.38.0"
				s.Numbers.StatusGap = new(*s.Numbers.StatusGap + 4000)
			case s.ID == "recreate" && s.Mode == "nftables":
				s.Outcome, s.Because = verdict.Skipped, "the kernel has no nf_tables"
			}
		}))
	}
	return all
}

// folders writes a folder per report, without evidence.
func folders(t *testing.T, all ...model.Report) []string {
	t.Helper()
	var dirs []string
	for _, r := range all {
		dir := t.TempDir()
		if err := reports.WriteFolder(dir, r); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

func appended(t *testing.T, path string, dirs ...string) (compare.History, compare.Added) {
	t.Helper()
	h, added, err := compare.AppendHistory(path, dirs)
	if err != nil {
		t.Fatal(err)
	}
	return h, added
}

func render(t *testing.T, form func(io.Writer, reports.Sheet) error, h compare.History, added compare.Added) string {
	t.Helper()
	var b bytes.Buffer
	if err := form(&b, compare.TrendSheet(h, added)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writeFile(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
