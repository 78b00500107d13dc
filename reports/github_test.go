package reports_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// failing returns a report of n scenarios with one outcome and with reasons of the given length.
func failing(n int, outcome verdict.Outcome, length int) model.Report {
	var r model.Report
	for i := range n {
		r.Scenarios = append(r.Scenarios, model.Scenario{
			Suite: "rollout", ID: fmt.Sprintf("s%04d", i), Mode: "iptables", Outcome: outcome, Because: strings.Repeat("|", length),
		})
	}
	return r
}

func TestAWorkflowIsTold(t *testing.T) {
	r := failing(1, verdict.Fail, 3)
	r.Scenarios[0].Because = "100% lost:\r\n::error::a, b"
	for _, row := range []struct {
		sentence    string
		actions     string
		summary     bool
		before      string
		annotations string // the first line
		step        string // how the step's summary begins
	}{
		{"outside a workflow nothing is said", "", false, "", "", ""},
		{"a variable that says no is not a workflow", "false", false, "", "", ""},
		{"in a workflow annotations are escaped, and stay one line", "true", false, "",
			"::error title=rollout/s0000 on iptables%3A fail::100%25 lost: ::error::a, b", ""},
		{"the summary is added to the step's", "true", true, "what another tool said\n",
			"::error title=rollout/s0000 on iptables%3A fail::100%25 lost: ::error::a, b", "what another tool said\n# Rollcall"},
		{"a step's summary is enough for it to be added", "", true, "", "", "# Rollcall"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "summary")
			env := map[string]string{"GITHUB_ACTIONS": row.actions}
			if row.summary {
				env["GITHUB_STEP_SUMMARY"] = path
				if err := os.WriteFile(path, []byte(row.before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var b bytes.Buffer
			if err := reports.GitHub(&b, func(name string) string { return env[name] }, r); err != nil {
				t.Fatal(err)
			}
			if first, _, _ := strings.Cut(b.String(), "\n"); first != row.annotations {
				t.Errorf("annotations\n%s\nwant\n%s", b.String(), row.annotations)
			}
			step, _ := os.ReadFile(path)
			if !strings.HasPrefix(string(step), row.step) || (row.step == "") != (len(step) == 0) {
				t.Errorf("the step's summary is\n%s", step)
			}
		})
	}
}

func TestAStepSummaryThatCannotBeWrittenIsTold(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"GITHUB_STEP_SUMMARY": filepath.Join(t.TempDir(), "absent", "summary")}[name]
	}
	err := reports.GitHub(&bytes.Buffer{}, env, model.Report{})
	if err == nil || !strings.Contains(err.Error(), "reports: append to step summary: ") {
		t.Errorf("error %v", err)
	}
}

// GitHub drops the eleventh annotation of a level without a word.
func TestNoFailureIsLostToTheLimitOfAnnotations(t *testing.T) {
	for _, row := range []struct {
		sentence string
		failed   int
		errors   int
		says     string
	}{
		{"ten have one each", 10, 10, "title=rollout/s0009 on iptables"},
		{"the tenth names the eleventh too", 11, 10,
			"::error title=and 2 more::rollout/s0009 on iptables: fail; rollout/s0010 on iptables: fail\n"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			text := printed(t, reports.Annotations, failing(row.failed, verdict.Fail, 10))
			if n := strings.Count(text, "::error "); n != row.errors || !strings.Contains(text, row.says) {
				t.Errorf("%d errors, want %d and %q:\n%s", n, row.errors, row.says, text)
			}
		})
	}
}

// GitHub rejects the whole of a step's summary that has more than 1 MiB, whoever wrote it.
func TestASummaryFitsAStep(t *testing.T) {
	const limit = 1 << 20
	for _, row := range []struct {
		sentence string
		report   model.Report
		before   int
		full     bool
	}{
		{"a run of 80 fits", failing(80, verdict.Fail, 300), 0, false},
		{"a run of thousands is cut", failing(4000, verdict.Inconclusive, 300), 0, true},
		{"one reason is cut", failing(3, verdict.Fail, 2*limit), 0, false},
		{"what was there counts, and what comes after a line too long is cut too", failing(80, verdict.Fail, 300), limit - 1000, true},
		{"a step without room stays as it is", failing(80, verdict.Fail, 300), limit - 5, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "summary")
			if err := os.WriteFile(path, bytes.Repeat([]byte{'x'}, row.before), 0o644); err != nil {
				t.Fatal(err)
			}
			env := func(name string) string { return map[string]string{"GITHUB_STEP_SUMMARY": path}[name] }
			if err := reports.GitHub(&bytes.Buffer{}, env, row.report); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) > limit {
				t.Errorf("%d bytes", len(got))
			}
			if room := limit - row.before; room < 100 {
				return // there is no room to say that it was cut
			}
			told, cut := strings.CutSuffix(string(got[row.before:]), " more lines do not fit; report.json has everything.\n")
			if cut != row.full {
				t.Errorf("it says that it was cut: %v, want %v; it ends %q", cut, row.full, told[max(0, len(told)-200):])
			}
			if cut {
				told = told[:strings.LastIndex(told, "\n")] // the number of lines
			}
			if !strings.HasPrefix(printed(t, reports.Markdown, row.report), told) {
				t.Errorf("there is a hole before %q", told[max(0, len(told)-200):])
			}
		})
	}
}

func TestASummaryHasTheWorstFirst(t *testing.T) {
	r, err := reports.Load(runFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	summary, at := printed(t, reports.Markdown, r), -1
	for _, text := range []string{
		"- **fail** rollout/drained on nftables", "- **inconclusive** control/undrained on nftables",
		"and evidence/nftables/control/undrained/diagnostics",
		"- **skipped** on ipvs: the kernel",
		"| SCENARIO | iptables | nftables | ipvs |", "| rollout/drained | pass | **fail** | skipped |",
		"| control/undrained | pass, attempt 2 | **inconclusive** | - |",
		"| rollout/drained | nftables | 600 |", "| control/undrained | iptables | 600 |",
	} {
		next := strings.Index(summary, text)
		if next <= at {
			t.Fatalf("%q is at %d, after %d:\n%s", text, next, at, summary)
		}
		at = next
	}
}
