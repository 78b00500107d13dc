package verdict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

// A ruleRow is the finding of a rule about a rollout in which something was changed.
type ruleRow struct {
	sentence string
	expect   evidence.Expectation
	spoil    edit
	want     verdict.Outcome
}

func none(*recording) {}

func TestRules(t *testing.T) {
	var told strings.Builder // what each finding says, in the golden file
	for _, row := range slices.Concat(lossRows, absentRows, latencyRows, damageRows, replyRows, outageRows, versionRows, lagRows, ruleLagRows,
		podRows, factRows, sizeRows, stepRows, answerRows, cutRows) {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect)
			row.spoil(&ev)
			v := judge(t, ev)
			if len(v.Findings) != 1 {
				t.Fatalf("%d findings of one expectation", len(v.Findings))
			}
			f := v.Findings[0]
			if f.Outcome != row.want {
				t.Errorf("outcome %s, want %s: %s", f.Outcome, row.want, f.Because)
			}
			if strings.ContainsAny(f.Headline, "{}") {
				t.Errorf("a name was not filled in: %s", f.Headline)
			}
			fmt.Fprintf(&told, "%s\n%s", row.sentence, findingText(f))
			if v.Outcome != f.Outcome || v.Because != f.Because {
				t.Errorf("the only finding is %s (%s), the verdict %s (%s)", f.Outcome, f.Because, v.Outcome, v.Because)
			}
		})
	}
	golden.File(t, "testdata/findings.txt", told.String())
}

// findingText returns all texts of a finding.
func findingText(f verdict.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s: %s\n", f.Outcome, f.Headline)
	for _, fact := range f.Facts {
		fmt.Fprintf(&b, "    %s: %s\n", fact.Name, fact.Value)
	}
	fmt.Fprintf(&b, "  because %s\n  %d witnesses", f.Because, len(f.Witnesses))
	if f.Exposure.Unit != "" {
		fmt.Fprintf(&b, ", put to %s", phrase.Count(f.Exposure.Count, f.Exposure.Unit))
	}
	b.WriteString("\n\n")
	return b.String()
}
