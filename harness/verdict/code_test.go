package verdict

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// Every rule, reason and limit has its own code.
func TestCodes(t *testing.T) {
	var want, got, codes []string
	ids := map[string]bool{}
	for _, r := range Rules() {
		want = append(want, "RC1 "+r.ID)
	}
	for _, r := range Reasons() {
		want = append(want, "RC2 "+r.ID)
	}
	for _, id := range evidence.Limits() {
		want = append(want, "RC4 "+id)
	}
	for _, stage := range timeline.StageTexts() {
		want = append(want, "RC5 "+string(stage.Stage))
	}
	for _, c := range Codes() {
		codes = append(codes, c.Code)
		if ids[c.ID] {
			t.Errorf("two codes are of %s", c.ID)
		}
		ids[c.ID] = true
		got = append(got, c.Code[:3]+" "+c.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-rules, reasons, limits and stages +codes):\n%s", diff)
	}
	if !slices.IsSorted(codes) || len(slices.Compact(slices.Clone(codes))) != len(codes) {
		t.Errorf("codes are not each of one: %q", codes)
	}
}
