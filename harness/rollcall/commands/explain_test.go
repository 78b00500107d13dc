package commands

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
)

// ofEachKind names a scenario, a rule, a reason and one that does as another says, a limit, a stage, an advice, a retired code, a false
// claim, a suite, an outcome, a lane, and what is excused.
var ofEachKind = []string{"rollout/drained-rolling-update", "RC1001", "RC2017", "RC2021", "RC4001", "RC5001", "RC3006", "RC1034",
	"C30", "control", "pass", "worker-reused", "excused"}

// Text and JSON are of the same explanations.
func TestExplanations(t *testing.T) {
	kinds := map[explainedKind]bool{}
	for _, name := range ofEachKind {
		for _, e := range explain(strings.ToLower(name)) {
			kinds[e.Kind] = true
		}
	}
	if len(kinds) != 12 {
		t.Errorf("of %d kinds: %v", len(kinds), kinds)
	}
	for _, form := range []string{asText, asJSON} {
		var out bytes.Buffer
		if code := Execute(slices.Concat([]string{"explain", "-o", form}, ofEachKind), &out, io.Discard); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		golden.File(t, "testdata/explain."+form, out.String())
	}
}
