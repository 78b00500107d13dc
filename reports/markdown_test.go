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
		Causes: []model.Cause{{Text: "3 requests reached starting pods, where nothing listened"}},
		Advice: []model.Advice{{Code: "RC3006", Sign: "rules were late", Remedy: "let pods sleep 2 s"}}}
	patched := lossy
	patched.Patch = &model.Patch{Diff: "   command: |\n    ```\n+  preStop:\n"}
	for _, row := range []struct {
		sentence string
		of       model.Scenario
		want     []string
	}{
		{"how to read more about a failure, its cause, and the advice", lossy,
			[]string{"3 of 9 requests failed", "what to do: `rollcall explain RC1001`", "  - 3 requests reached starting pods", "## What to change",
				"- Rules were late. Let pods sleep 2 s. (RC3006)", "## Outcomes"}},
		{"the patch, whose text does not end the block that it is in", patched,
			[]string{"Let pods sleep", "````````diff\n   command: |\n    ```\n+  preStop:\n````````\n", "## Outcomes"}},
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
