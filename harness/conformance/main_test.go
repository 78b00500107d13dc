package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/layout"
	"rollcall/harness/usage"
	"rollcall/harness/verdict"
	"rollcall/reports"
)

func TestBadInputEndsWithTwo(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	for _, tc := range []struct {
		sentence string
		args     []string
		want     int
	}{
		{"help is no error", []string{"-h"}, 0},
		{"an unknown command", []string{"fly"}, badInput},
		{"an unknown flag", []string{"run", "-fast"}, badInput},
		{"an unknown mode", []string{"run", "-modes=ebpf"}, badInput},
		{"fewer agents than one", []string{"run", "-agents-per-node=0"}, badInput},
		{"more agents than a node takes", []string{"run", "-agents-per-node=17"}, badInput},
		{"a number of agents that is none", []string{"run", "-agents-per-node=many"}, badInput},
		{"an unknown suite", []string{"run", "-suites=nope"}, badInput},
		{"an unknown Kubernetes version", []string{"node-image", "-k8s=v1.2"}, badInput},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if got := run(t.Context(), tc.args); got != tc.want {
				t.Errorf("exit code %d, want %d", got, tc.want)
			}
		})
	}
}

func TestSelectSuites(t *testing.T) {
	home := layout.Layout{Folder: t.TempDir()}
	for _, suite := range []string{"control", "rollout"} {
		dir := filepath.Join(home.Folder, "suites", suite)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "suite_test.go"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		sentence, asked string
		want            []string
		refused         string
	}{
		{"none asked for is all", "", []string{"control", "rollout"}, ""},
		{"the order asked for is kept", "rollout, control", []string{"rollout", "control"}, ""},
		{"one named twice runs once", "control control", []string{"control"}, ""},
		{"an unknown one is refused with those there are", "rollout nope", nil, "control, rollout"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			got, err := selectSuites(home, tc.asked)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if usage.Is(err) != (tc.refused != "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
				t.Errorf("error %v, want %q", err, tc.refused)
			}
		})
	}
}

func TestASuiteThatFailsOutsideItsScenariosIsNotGreen(t *testing.T) {
	recorded := func(outcomes ...verdict.Outcome) reports.Report {
		var r reports.Report
		for _, o := range outcomes {
			r.Scenarios = append(r.Scenarios, reports.Scenario{Mode: "iptables", Suite: "rollout", Outcome: o})
		}
		return r
	}
	failed := []suiteRun{{"iptables", "rollout"}}
	for _, tc := range []struct {
		sentence string
		failed   []suiteRun
		report   reports.Report
		want     int
	}{
		{"a failed claim explains it", failed, recorded(verdict.Pass, verdict.Fail), 0},
		{"so does an inconclusive one", failed, recorded(verdict.Inconclusive), 0},
		{"passes do not", failed, recorded(verdict.Pass, verdict.Skipped), 1},
		{"nothing recorded does not", failed, recorded(), 1},
		{"a failed claim of another mode does not", []suiteRun{{"nftables", "rollout"}}, recorded(verdict.Fail), 1},
		{"a suite that ended well needs no explanation", nil, recorded(verdict.Pass), 0},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if got := unexplained(tc.failed, tc.report); len(got) != tc.want {
				t.Errorf("%q, want %d", got, tc.want)
			}
		})
	}
}
