package reports_test

import (
	"regexp"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// since returns what changed in a report since the report.json with the text then.
func since(t *testing.T, then string, now model.Report) string {
	t.Helper()
	said, err := reports.Since([]byte(then), now)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := reports.Since([]byte(then), now); err != nil || again != said {
		t.Errorf("asked twice, it says first\n%s\nthen\n%s: %v", said, again, err)
	}
	return said
}

// unheaded matches what reports did not have before there were headlines.
var unheaded = regexp.MustCompile(`(?s)\n *"headline": "[^\n]*|\n *"facts": \[.*?\n *\],`)

func TestWhatChangedSinceAReport(t *testing.T) {
	dir := runFolder(t)
	now, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	said := reportOf(t, dir)
	then := unheaded.ReplaceAllString(said, "")
	for _, edit := range []struct{ now, then string }{
		// an earlier rule let the lossy rollout pass, and counted something that this build does not count
		{`"outcome": "fail",
      "because": "known bug k/k#139515, fixed in 1.36.0: 3 of 400 requests failed`, `"outcome": "pass",
      "because": "hardly any of 400 requests failed`},
		{`"outcome": "fail",
          "because": "3 of 400 requests failed`, `"outcome": "pass",
          "because": "hardly any of 400 requests failed`},
		{`"numbers": {
        "status_gap_ms": 41.485`, `"numbers": {
        "status_gap_ms": 40, "tears": {"shed": 7}`},
		{`"mixed_window_ms": 30,`, ``},
		{`"lane": "worker-fresh",
              "seq": 55`, `"lane": "worker-fresh",
              "seq": 54`},
		{`"id": "no-lost-replies"`, `"id": "no-lost-sleep"`},
		{`0 requests failed, so no lane had an outage`, `no lane had an outage`},
		{`"kernel": "6.12.0"`, `"kernel": "6.11.0"`},
		{`"pass": 2,
    "fail": 1`, `"pass": 3,
    "fail": 0`},
		// a scenario had another name
		{`"id": "undrained",
      "suite": "control",
      "mode": "nftables"`, `"id": "unstrained",
      "suite": "control",
      "mode": "nftables"`},
	} {
		edited := strings.Replace(then, edit.now, edit.then, 1)
		if edited == then {
			t.Fatalf("the report does not say %s", edit.now)
		}
		then = edited
	}
	golden.File(t, "testdata/since.txt", since(t, then, now))

	const words = "nothing changed but the wording or the form of report.json\n\n2 passed"
	for _, row := range []struct{ sentence, then, want string }{
		{"the same report", said, "nothing changed: report.json is byte-identical\n\n2 passed"},
		{"the same, written by somebody else", strings.ReplaceAll(said, "\n", "\r\n"), words},
		{"the same, before there were headlines", unheaded.ReplaceAllString(said, ""), words},
		{"other words for a rule that held", strings.ReplaceAll(said, `0 requests failed, so no lane had an outage`, `no lane had an outage`),
			words},
		{"a report by a newer build", strings.Replace(said, "v1alpha1", "v2", 1),
			"the run as a whole\n    apiVersion: rollcall/v2 → rollcall/v1alpha1\n"},
		{"a report without scenarios", reportOf(t, emptyFolder(t)), "\niptables/rollout/drained: new: pass: all 7 rules hold"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := since(t, row.then, now); !strings.Contains(got, row.want) {
				t.Errorf("it does not say %q:\n%s", row.want, got)
			}
		})
	}
}

func TestOnlyAReportIsCompared(t *testing.T) {
	for _, row := range []struct{ sentence, then, want string }{
		{"nothing", ``, "report.json cannot be read: unexpected end of JSON input"},
		{"half a report", `{"kind":"Conf`, "unexpected end of JSON input"},
		{"a report and more", `{"kind":"ConformanceReport","scenarios":[]} {}`, "after top-level value"},
		{"something else", `{"kind":"Deployment"}`, "its kind is Deployment, not ConformanceReport"},
		{"no object", `[]`, "cannot unmarshal"},
		{"no scenarios", `{"kind":"ConformanceReport"}`, "it has no list of scenarios"},
		{"scenarios without a name", `{"kind":"ConformanceReport","scenarios":[7]}`, "it has no list of scenarios"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, err := reports.Since([]byte(row.then), model.Report{})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}
