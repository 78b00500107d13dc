package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// runFolder holds one scenario in iptables mode, 2 s at 50 per second from v1 to v2, in which the
// hits with these numbers are refused.
func runFolder(t *testing.T, refused ...int) string {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "evidence")
	run := evidence.Run{
		Scenario: "drained", Suite: "rollout", Mode: "iptables", Attempt: 1, OldVersion: "v1", NewVersion: "v2",
		Lanes:  []evidence.Lane{{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Rate: 50}},
		Expect: []evidence.Expectation{verdict.NoFailures()},
	}
	hits := make([]evidence.Hit, 100)
	for i := range hits {
		due := time.Duration(i) * 20 * time.Millisecond
		hits[i] = evidence.Hit{Lane: "worker-fresh", Seq: uint64(i), Due: due, Sent: due, Status: 200, By: evidence.Server{Version: "v1"}}
	}
	for _, i := range refused {
		hits[i].Fault, hits[i].Status, hits[i].By = evidence.Refused, 0, evidence.Server{}
	}
	ev := evidence.Evidence{Run: run, Hits: evidence.Hits(hits), Events: []evidence.Event{
		{At: 0, Kind: evidence.LoadBegun}, {At: 5e8, Kind: evidence.RolloutBegun}, {At: 1e9, Kind: evidence.OldGone}, {At: 2e9, Kind: evidence.LoadEnded},
	}}
	for _, err := range []error{
		evidence.WriteJSON(filepath.Join(root, evidence.SessionFile), evidence.Session{Schema: 1, ID: "r"}),
		evidence.WriteJSON(filepath.Join(root, "iptables", evidence.ClusterFile), evidence.Cluster{Mode: "iptables"}),
		evidence.Write(filepath.Join(root, "iptables", "rollout", "drained"), ev),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestExitCodes(t *testing.T) {
	unwritable := runFolder(t)
	if err := os.Mkdir(filepath.Join(unwritable, "report.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		stdout   string
		stderr   string
	}{
		{"a run that passed", []string{"report", runFolder(t)}, 0, "1 passed, 0 failed", ""},
		{"a run with a claim that failed", []string{"report", runFolder(t, 60)}, 1, "1 of 100 requests failed (1 refused)", ""},
		{"a run that cannot be trusted", []string{"report", runFolder(t, 3)}, 3, "cannot be trusted", ""},
		{"a folder of something else", []string{"report", t.TempDir()}, 2, "", "not a run folder"},
		{"a folder that takes no report", []string{"report", unwritable}, 3, "", "reports: write report.json"},
		{"a run judged as before", []string{"rejudge", reported(t, runFolder(t, 60))}, 1, "nothing changed: report.json is byte-identical", ""},
		{"a run that never had a report", []string{"rejudge", runFolder(t)}, 2, "", "to write it: rollcall report "},
		{"a run whose report is no report", []string{"rejudge", edited(t, runFolder(t), "", "hello")}, 2, "", "reports: read report.json: byte "},
		{"a run whose report is of a claim that failed, which passes today",
			[]string{"rejudge", edited(t, reported(t, runFolder(t)), `"outcome": "pass"`, `"outcome": "fail"`)}, 0, "iptables/rollout/drained: fail → pass: 0 of 100", ""},
		{"a run that passed, and lost its evidence since", []string{"rejudge", without(t, reported(t, runFolder(t)), "run.json")}, 3, "pass → inconclusive: the recording cannot be read", ""},
		{"a folder of something else to judge again", []string{"rejudge", t.TempDir()}, 2, "", "not a run folder"},
		{"no folder to judge again", []string{"rejudge"}, 2, "", "accepts 1 arg(s), received 0"},
		{"a call for help with judging again", []string{"rejudge", "--help"}, 0, "Exit codes", ""},
		{"no folder", []string{"report"}, 2, "", "accepts 1 arg(s), received 0"},
		{"two folders", []string{"report", "a", "b"}, 2, "", "accepts 1 arg(s), received 2"},
		{"an unknown flag", []string{"report", "--sorrow", "a"}, 2, "", "unknown flag: --sorrow"},
		{"an unknown command", []string{"sing"}, 2, "", `unknown command "sing"`},
		{"a call for help", []string{"report", "--help"}, 0, "Exit codes:", ""},
		{"nothing at all", nil, 0, "rejudge     Judge a recorded run again and say what changed", ""},
		{"nothing at all", nil, 0, "report      Judge a recorded run again and write", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(row.args, &stdout, &stderr); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			if !strings.Contains(stdout.String(), row.stdout) {
				t.Errorf("stdout lacks %q:\n%s", row.stdout, stdout.String())
			}
			if !strings.Contains(stderr.String(), row.stderr) || (row.stderr == "") != (stderr.Len() == 0) {
				t.Errorf("stderr, which should say %q:\n%s", row.stderr, stderr.String())
			}
		})
	}
}

func TestReportWritesIntoTheRunFolder(t *testing.T) {
	dir := runFolder(t)
	if code := run([]string{"report", dir}, &bytes.Buffer{}, &bytes.Buffer{}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, name := range []string{"report.json", "junit.xml", "summary.md", "index.html"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
