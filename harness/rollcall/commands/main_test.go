package commands

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/verdict"
)

// runFolder is a run folder with one scenario in iptables mode, 2 s at 50 requests per second from v1 to v2, in which the hits with these
// numbers are refused.
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
		{At: 0, Kind: evidence.LoadBegun}, {At: 5e8, Kind: evidence.RolloutBegun}, {At: 1e9, Kind: evidence.OldGone},
		{At: 2e9, Kind: evidence.LoadEnded},
	}}
	for _, err := range []error{
		store.WriteJSON(filepath.Join(root, evidence.SessionFile), evidence.Session{Schema: 1, ID: "r"}),
		store.WriteJSON(filepath.Join(root, "iptables", evidence.ClusterFile), evidence.Cluster{Mode: "iptables"}),
		store.Write(filepath.Join(root, "iptables", "rollout", "drained"), ev),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// profiled ends the run of a run folder, and gives it a profile.
func profiled(t *testing.T, dir, profile string) string {
	t.Helper()
	session := evidence.Session{Schema: 1, ID: "r", Began: time.Unix(0, 0).UTC(), Ended: time.Unix(9, 0).UTC(), Profile: profile}
	if err := store.WriteJSON(filepath.Join(dir, "evidence", evidence.SessionFile), session); err != nil {
		t.Fatal(err)
	}
	return dir
}

// watched ends the run of a run folder, and gives it a status: of two scenarios one has failed.
func watched(t *testing.T, dir string) string {
	t.Helper()
	board, err := progress.Open(dir, "r", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	name := progress.Name{Mode: "iptables", Suite: "rollout", Scenario: "drained"}
	board.Expect([]progress.Expected{{Name: name}, {Name: progress.Name{Mode: "nftables"}}})
	board.Entry(name).End(progress.Result{Outcome: "fail", Because: "3 requests failed"})
	return ended(t, dir)
}

// ended ends the run of a run folder.
func ended(t *testing.T, dir string) string {
	t.Helper()
	return profiled(t, dir, "")
}

// An exitRow is a command line, its exit code and a part of what it prints.
type exitRow struct {
	sentence string
	args     []string
	code     int
	stdout   string
	stderr   string
}

func checkExits(t *testing.T, rows []exitRow) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := Execute(row.args, &stdout, &stderr); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			if !strings.Contains(stdout.String(), row.stdout) {
				t.Errorf("stdout lacks %q:\n%s", row.stdout, stdout.String())
			}
			if strings.Contains(stderr.String(), "\x1b") || !strings.Contains(stderr.String(), row.stderr) ||
				(row.stderr == "") != (stderr.Len() == 0) {
				t.Errorf("stderr, which should say %q:\n%s", row.stderr, stderr.String())
			}
		})
	}
}

// unwritableFolder returns a run folder whose report cannot be written, with a name that clears a terminal that prints it.
func unwritableFolder(t *testing.T) string {
	t.Helper()
	dir := runFolder(t)
	if err := os.Mkdir(filepath.Join(dir, "report.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	obeyed := filepath.Join(t.TempDir(), "a\x1b[2Jb")
	if err := os.Rename(dir, obeyed); err != nil {
		t.Fatal(err)
	}
	return obeyed
}

func TestExitCodesOfReport(t *testing.T) {
	unwritable := unwritableFolder(t)
	steady := ended(t, runFolder(t))
	checkExits(t, []exitRow{
		{"a run that passed", []string{"report", ended(t, runFolder(t))}, 0, "1 passed, 0 failed", ""},
		{"a run that passed as far as it got", []string{"report", runFolder(t)}, 3, "the run was cut off, or has not ended", ""},
		{"a run with a claim that failed", []string{"report", runFolder(t, 60)}, 1, "1 of 100 requests failed (1 refused)", ""},
		{"a run that cannot be trusted", []string{"report", runFolder(t, 3)}, 3, "cannot be trusted", ""},
		{"a folder of something else", []string{"report", t.TempDir()}, 2, "",
			"it is not a run folder, as it has no evidence/session.json: name one, such as"},
		{"one recording of a run", []string{"report", "../../../reports/testdata/recorded/iptables-drained"}, 2, "",
			"name the run folder that it is in"},
		{"a folder that takes no report", []string{"report", unwritable}, 3, "", "reports: write report.json"},
		{"a folder that is not there, with a name that clears the screen", []string{"report", unwritable + "b"}, 2, "", "/a[2Jbb: "},
		{"a run judged as before", []string{"report", "--dry-run", reported(t, runFolder(t, 60))}, 1,
			"nothing changed: report.json is byte-identical", ""},
		{"a run that never had a report", []string{"report", "--dry-run", runFolder(t)}, 2, "", "write it anew: rollcall report "},
		{"a run whose report is not a report", []string{"report", "--dry-run", edited(t, runFolder(t), "", "hello")}, 2, "",
			"report.json cannot be read: invalid character "},
		{"a run whose report is of a claim that failed, which passes today",
			[]string{"report", "--dry-run", edited(t, reported(t, ended(t, runFolder(t))), `"outcome": "pass"`, `"outcome": "fail"`)}, 0,
			"iptables/rollout/drained: fail → pass: 0 of 100", ""},
		{"a run that passed, and lost its evidence since", []string{"report", "--dry-run", without(t, reported(t, runFolder(t)), "run.json")}, 3,
			"pass → inconclusive: the recording cannot be read", ""},
		{"a folder of something else to judge again", []string{"report", "--dry-run", t.TempDir()}, 2, "", "not a run folder"},
		{"no folder to judge again", []string{"report", "--dry-run"}, 2, "",
			"rollcall report: too little is named: name one run folder, such as out/latest"},
		{"a call for help with judging again", []string{"report", "--help"}, 0, "Exit codes", ""},
		{"a picture of a scenario", []string{"report", steady, "--picture=iptables/rollout/drained"}, 0, "<svg ", ""},
		{"a picture of a scenario that there is not", []string{"report", steady, "--picture=iptables/rollout/none"}, 2, "",
			"--picture=iptables/rollout/none: no such scenario was recorded: choose one of: iptables/rollout/drained"},
		{"a picture in another format", []string{"report", steady, "--picture=x", "-o", "json"}, 2, "",
			"they exclude each other: leave one of them out"},
	})
}

func TestExitCodesOfExplain(t *testing.T) {
	checkExits(t, []exitRow{
		{"the story of a scenario", []string{"explain", "drained-rolling-update"}, 0,
			"RC1055 full-rate: clients send the full load", ""},
		{"the story of a scenario, by its suite too", []string{"explain", "rollout/drained-rolling-update"}, 0, "decides C39: ", ""},
		{"a rule", []string{"explain", "no-failures"}, 0, "RC1001 rule no-failures: no client loses a request\n  Causes: ", ""},
		{"a code of a rule, and one of a reason", []string{"explain", "RC1055", "RC2017"}, 0,
			"RC2017 reason agent-lost for an inconclusive verdict: a load agent died", ""},
		{"a claim of the articles", []string{"explain", "C31"}, 0, "decided by control/undrained-rolling-update: ", ""},
		{"what to do about a claim that is false", []string{"explain", "C30"}, 0, "  Do: apply without deleting; ", ""},
		{"what another code says to do", []string{"explain", "RC2021"}, 0, "Do: as for RC2019.\n  RC2019 says: lower `--rate`", ""},
		{"a lane", []string{"explain", "worker-reused"}, 0, "lane worker-reused: a client in a pod on each node that carries load", ""},
		{"a lane outside the cluster", []string{"explain", "outside-fresh"}, 0, "a client outside the cluster, which asks the Service by a", ""},
		{"a kind of lane", []string{"explain", "named"}, 0, "which asks the Service by its name", ""},
		{"a code as one types it", []string{"explain", "rc1055"}, 0, "RC1055 rule full-rate", ""},
		{"a scenario in a mode, as a picture is asked for", []string{"explain", "nftables/rollout/drained-rolling-update"}, 0,
			"decides C39: ", ""},
		{"a suite", []string{"explain", "control"}, 0, "suite control\n  control/", ""},
		{"what excuses a failure", []string{"explain", "excused"}, 0, "a request failed: excused where it timed out", ""},
		{"a code of a rule that is gone", []string{"explain", "RC1034"}, 0, "RC1034 is retired: ", ""},
		{"an outcome", []string{"explain", "inconclusive"}, 0, "outcome inconclusive: it cannot be told whether the rules hold", ""},
		{"nothing to explain", []string{"explain"}, 2, "",
			"rollcall explain: no name is given: name a scenario, a rule or a code; all codes: harness/verdict/CODES.md"},
		{"a code that there is not", []string{"explain", "RC9999"}, 2, "",
			"explain RC9999: nothing has that name: name a scenario, a rule or a code; all codes: harness/verdict/CODES.md"},
		{"a code that there never was", []string{"explain", "RC1999"}, 2, "", "nothing has that name"},
		{"a claim that there is not", []string{"explain", "C99"}, 2, "", "nothing has that name"},
		{"half a name", []string{"explain", "agent-lo"}, 2, "", "did you mean agent-lost?"},
	})
}

func TestExitCodesOfList(t *testing.T) {
	checkExits(t, []exitRow{
		{"all scenarios", []string{"list"}, 0, "rollout/drained-rolling-update", ""},
		{"the scenarios of a suite and profile, without some", []string{"list", "--suites=control", "--profile=core", "--skip=^undrained"}, 0,
			"control/unprobed", ""},
		{"a list of no scenario", []string{"list", "--run=^nothing$"}, 2, "", "no scenario matches the options: leave some out"},
		{"a list in an unknown format", []string{"list", "-o", "xml"}, 2, "", "use text, json, yaml, markdown"},
		{"a list by a pattern that is none", []string{"list", "--run=("}, 2, "", "missing closing )"},
	})
}

func TestExitCodesOfStatus(t *testing.T) {
	underWay, _ := goingOn(t)
	checkExits(t, []exitRow{
		{"the status of a run that ended", []string{"status", watched(t, runFolder(t))}, 0,
			"run r: ended, 1 of 2 scenarios done\nfail iptables", ""},
		{"the status of a run that goes on", []string{"status", underWay}, 0, "run r: under way, 1 of 2 scenarios done\nfail nftables", ""},
		{"the status of a run that was killed", []string{"status", killed(t)}, 0, "run r: was killed, 1 of 2 scenarios done\n", ""},
		{"a run that was killed, which nobody can follow", []string{"status", "--watch", killed(t)}, 0,
			"what it recorded can be judged: rollcall report ", ""},
		{"a run that is followed to its end", []string{"status", "--watch", watched(t, runFolder(t))}, 0, "run r: ended", ""},
		{"a run that is shown to a browser until its end", []string{"status", "--serve", watched(t, runFolder(t))}, 0, "run r: ended", ""},
		{"a run that is shown at a port that is none", []string{"status", "--serve=99999", underWay}, 2, "", "--serve=99999: "},
		{"the status as data", []string{"status", "-o", "json", watched(t, runFolder(t))}, 0, `"outcome": "fail"`, ""},
		{"the status of a folder of something else", []string{"status", t.TempDir()}, 2, "", "has no status of a run"},
	})
}

func TestExitCodesOfCompare(t *testing.T) {
	steady, unended := ended(t, runFolder(t)), runFolder(t)
	checkExits(t, []exitRow{
		{"a run compared with itself", []string{"compare", steady, steady}, 0, "Nothing is shown to have got worse or better.", ""},
		{"a run whose requests failed, after one whose did not", []string{"compare", steady, runFolder(t, 60)}, 1,
			"| worse | rollout/drained | iptables | pass | fail |", ""},
		{"a run whose requests did not fail, after one whose did", []string{"compare", runFolder(t, 60), steady}, 0,
			"| better | rollout/drained | iptables | fail | pass |", ""},
		{"a run that cannot be trusted, after one that can", []string{"compare", steady, runFolder(t, 3)}, 1,
			"| worse | rollout/drained | iptables | pass | inconclusive |", ""},
		{"a mode compared with itself", []string{"compare", steady, "--modes", "iptables:iptables"}, 0, "A: run r in iptables, begun", ""},
		{"a run compared with nothing", []string{"compare", steady}, 2, "",
			"one run alone is named: name another, or two modes of it: --modes=iptables:nftables"},
		{"modes that the run has not", []string{"compare", steady, "--modes", "iptables:ipvs"}, 2, "",
			"--modes=iptables:ipvs: A has iptables and B has iptables: name one of each"},
		{"modes that are none", []string{"compare", steady, "--modes", "a:b:c"}, 2, "", "name two, such as iptables:nftables"},
		{"a run compared with a folder of something else", []string{"compare", steady, t.TempDir()}, 2, "", "not a run folder"},
		{"a history that is not there", []string{"compare", steady, steady, "--history", "none"}, 2, "",
			"--history=none: it cannot be read: stat none: no such file or directory: have it written: rollcall trend DIR... --history=none"},
		{"a history that is none", []string{"compare", steady, steady, "--history", filepath.Join(unended, "evidence", "session.json")}, 2, "",
			"is not a line of a history: give another file"},
		{"a page that cannot be written", []string{"compare", steady, steady, "--html", t.TempDir()}, 3, "", "rollcall: write page: "},
		{"a call for help with comparing", []string{"compare", "--help"}, 0, "Exit codes", ""},
		{"two runs compared with two", []string{"compare", steady + "," + steady, steady + "," + steady}, 0,
			"Nothing is shown to have got worse", ""},
		{"a run compared with one of another profile", []string{"compare", steady, profiled(t, runFolder(t), "core")}, 0,
			"A ran profile full and B profile core", ""},
	})
}

func TestExitCodesOfTrend(t *testing.T) {
	steady, unended, empty := ended(t, runFolder(t)), runFolder(t), t.TempDir()
	history := filepath.Join(t.TempDir(), "history.jsonl")
	checkExits(t, []exitRow{
		{"a trend of a run", []string{"trend", steady, "--history", history}, 0, "1 runs, 1 of them added now", ""},
		{"a trend of the same run again", []string{"trend", steady, "--history", history}, 0, "1 runs, 0 of them added now", ""},
		{"a trend of the history alone", []string{"trend", "--history", history}, 0, "1 runs, 0 of them added now", ""},
		{"a run that has not ended", []string{"trend", unended, "--history", history}, 0, "is left out: its run has not ended", ""},
		{"a run and a folder of something else", []string{"trend", steady, empty, "--history", history}, 2, "Left out: ",
			"not a run folder"},
		{"a trend of nothing", []string{"trend"}, 2, "", "no run and no history is named: name run folders"},
		{"a trend of a history that is not there", []string{"trend", "--history", "none"}, 2, "",
			"--history=none: it cannot be read: stat none: no such file or directory: name runs to begin it with"},
		{"a trend in a file that is not a history", []string{"trend", steady, "--history", filepath.Join(unended, "evidence", "session.json")}, 2,
			"", "is not a line of a history: give another file"},
		{"a trend where nothing can be written", []string{"trend", steady, "--history", filepath.Join(empty, "none", "history.jsonl")}, 3, "",
			"trend: append"},
		{"a call for help with the trend", []string{"trend", "--help"}, 0, "Exit codes", ""},
	})
}

func TestExitCodesOfAccept(t *testing.T) {
	steady := ended(t, runFolder(t))
	checkExits(t, []exitRow{
		{"a candidate as good as its baseline, of which too little was seen", []string{"accept", "--baseline", steady, "--candidate", steady}, 3,
			"# Rollcall accept: cannot tell\n", ""},
		{"two runs of each side", []string{"accept", "--baseline", steady, "--baseline", steady, "--candidate", steady + "," + steady}, 3,
			"Baseline: runs ", ""},
		{"a candidate that fails", []string{"accept", "--baseline", steady, "--candidate", steady, "--candidate", ended(t, runFolder(t, 60))},
			1, "# Rollcall accept: no-go\n", ""},
		{"a candidate that fails as its policy expects", []string{"accept", "--baseline", steady, "--candidate", ended(t, runFolder(t, 60)),
			"--policy", policy(t, "rollout/drained")}, 3, "Rollcall accept: cannot tell\n", ""},
		{"a policy that means nothing", []string{"accept", "--baseline", steady, "--candidate", steady, "--policy", policy(t, "drained")}, 2,
			"", `exceptions[0].scenario: "drained" is not a scenario`},
		{"a candidate of another profile", []string{"accept", "--baseline", steady, "--candidate", profiled(t, runFolder(t), "core")}, 2, "",
			"run the candidate again with --profile=full"},
		{"a candidate without its baseline", []string{"accept", "--candidate", steady}, 2, "", "--baseline=DIR --candidate=DIR"},
		{"a move from one mode to another, of a run without that", []string{"accept", "--baseline", steady, "--modes=iptables:nftables"}, 2, "",
			"--modes=iptables:nftables: A has iptables and B has none: name one of each"},
		{"a mode as the candidate for its own place", []string{"accept", "--baseline", steady, "--modes=iptables"}, 3,
			"Candidate: run r, Kubernetes of an unknown version in iptables: cannot tell.", ""},
		{"a candidate that is not a run", []string{"accept", "--baseline", steady, "--candidate", t.TempDir()}, 2, "", "not a run folder"},
		{"a decision that cannot be written", []string{"accept", "--baseline", steady, "--candidate", steady, "--html", t.TempDir()}, 3, "",
			"rollcall: write page: "},
		{"a call for help with accepting", []string{"accept", "--help"}, 0, "kind: AcceptancePolicy", ""},
	})
}

func TestExitCodesOfOtherCommandLines(t *testing.T) {
	checkExits(t, []exitRow{
		{"no folder", []string{"report"}, 2, "", "rollcall report: too little is named: name one run folder, such as out/latest"},
		{"two folders", []string{"report", "a", "b"}, 2, "", "rollcall report a b: too much is named: name one run folder"},
		{"manifests without -f", []string{"try", "tls.yaml"}, 2, "", "Error: rollcall try tls.yaml: it takes no such word: write -f tls.yaml\n"},
		{"a try of nothing", []string{"try", "--dry-run"}, 2, "",
			"Error: rollcall try: no manifests are named: give -f FILE, -k FOLDER or --chart=DIR\n"},
		{"a try of an image that is not set", []string{"try", "-f", "x", "--to", ""}, 2, "", "Error: --to=: it has no value: write --to=REF"},
		{"a port that is not a command", []string{"run", "--serve", "8080"}, 2, "",
			"rollcall run 8080: it takes no such word: write --serve=8080"},
		{"two clusters to clean", []string{"clean", "--context=a", "--context=b"}, 2, "",
			"--context=b: it is given twice: leave one of them out"},
		{"an unknown flag", []string{"report", "--sorrow", "a"}, 2, "",
			"--sorrow: rollcall report has no such option: rollcall report --help lists them"},
		{"an unknown command", []string{"sing"}, 2, "", "rollcall sing: unknown command: rollcall --help lists them"},
		{"a call for help", []string{"report", "--help"}, 0, "Exit codes:", ""},
		{"the build", []string{"version"}, 0, "\nkubernetes  v1.", ""},
		{"the build, by the flag that others have", []string{"--version"}, 0, "\nkubernetes  v1.", ""},
		{"the schema", []string{"schema"}, 0, `"$schema": "https://json-schema.org/draft/2020-12/schema"`, ""},
		{"the schema of something", []string{"schema", "a"}, 2, "",
			"schema a: there is none: choose one of: report, policy, app, accept, check, compare, during, explain, list, preflight, status, trend, try"},
		{"the schema of what is printed for a script", []string{"schema", "status"}, 0, `"$id": "urn:rollcall:v1alpha1:status"`, ""},
		{"the schema of a policy", []string{"schema", "policy"}, 0, `"title": "Rollcall acceptance policy"`, ""},
		{"the schema of an app", []string{"schema", "app"}, 0, `"title": "Rollcall app"`, ""},
		{"a call for help with the schema", []string{"schema", "--help"}, 0, "Exit codes:", ""},
		{"nothing at all", nil, 0, "run         Run suites in every kube-proxy mode", ""},
		{"nothing at all", nil, 0, "report      Write the reports of a recorded run, and", ""},
	})
}

// policy is a policy file that excepts a scenario.
func policy(t *testing.T, scenario string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policy.yaml")
	text := "apiVersion: rollcall/v1alpha1\nkind: AcceptancePolicy\n" +
		"exceptions:\n- {scenario: " + scenario + ", until: 9999-12-31, because: known}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMain unsets what would have tests write into the workflow that runs them.
func TestMain(m *testing.M) {
	for _, name := range []string{"GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// A result that cannot be printed is not a verdict, not even of a run that passed.
func TestAnAnswerThatCannotBePrintedIsInfrastructure(t *testing.T) {
	dir := reported(t, runFolder(t))
	for _, args := range [][]string{{"report", dir}, {"report", "--dry-run", dir}, {"report", "--picture=iptables/rollout/drained", dir},
		{"report", "-o", "yaml", dir}, {"compare", "-o", "json", dir, dir}, {"schema"}, {"version"}, {"--version"}} {
		var stderr bytes.Buffer
		if code := Execute(args, full{}, &stderr); code != 3 || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, and %q", args, code, stderr.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestReportTellsAWorkflow(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "summary")
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	dir := runFolder(t, 60)
	var stdout bytes.Buffer
	if code := Execute([]string{"report", dir}, &stdout, io.Discard); code != 1 ||
		!strings.Contains(stdout.String(), "\n::error title=rollout/drained on iptables%3A fail::1 of 100") {
		t.Errorf("exit code %d:\n%s", code, stdout.String())
	}
	told, written := read(t, summary), read(t, filepath.Join(dir, "summary.md"))
	if told != written {
		t.Errorf("the step's summary is\n%s\nand summary.md\n%s", told, written)
	}
	t.Setenv("GITHUB_STEP_SUMMARY", dir)
	if code := Execute([]string{"report", dir}, io.Discard, io.Discard); code != 3 {
		t.Errorf("exit code %d for a step's summary that cannot be written", code)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReportWritesIntoTheRunFolder(t *testing.T) {
	dir := ended(t, runFolder(t))
	if code := Execute([]string{"report", dir}, &bytes.Buffer{}, &bytes.Buffer{}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, name := range []string{"report.json", "junit.xml", "summary.md", "metrics.prom", "index.html"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
