package reports

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// What a reviewer looks for in summary.md, each text after the one before.
func TestSummarySays(t *testing.T) {
	lossy := model.Scenario{Suite: "during", ID: "rollout", Mode: "iptables", Outcome: verdict.Fail, Headline: "3 of 9 requests failed",
		Rules:  []model.Rule{{ID: "no-failures", Code: "RC1001", Outcome: verdict.Fail}},
		Advice: []string{"Let pods sleep 2 s before SIGTERM. (RC3006)"}}
	patched := lossy
	patched.Patch = &model.Patch{Diff: "   command: |\n    ```\n+  preStop:\n"}
	for _, row := range []struct {
		sentence string
		of       model.Scenario
		want     []string
	}{
		{"how to read more about a failure, and the advice", lossy,
			[]string{"3 of 9 requests failed", "what to do: `rollcall explain RC1001`", "## What to change", "- Let pods sleep 2 s", "## Outcomes"}},
		{"the patch, whose text does not end the block that it is in", patched,
			[]string{"- Let pods sleep", "````````diff\n   command: |\n    ```\n+  preStop:\n````````\n", "## Outcomes"}},
	} {
		rest := string(summary(model.Report{Scenarios: []model.Scenario{row.of}}, summaryLimit))
		for _, want := range row.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: %q is not in, or not after what has to be before it:\n%s", row.sentence, want, rest)
			}
			rest = after
		}
	}
}
