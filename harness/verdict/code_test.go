package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every rule and every reason has one code of its own, and a section that says what to do.
func TestCodes(t *testing.T) {
	var want, got, codes []string
	for _, r := range Rules() {
		want = append(want, "RC1 "+r.ID)
	}
	for _, r := range Reasons() {
		want = append(want, "RC2 "+r.ID)
	}
	for _, c := range Codes() {
		got, codes = append(got, c.Code[:3]+" "+c.ID), append(codes, c.Code)
		if !strings.HasPrefix(c.Text, "Causes: ") || !strings.Contains(c.Text, "\nDo: ") {
			t.Errorf("%s has no causes, or nothing to do: %q", c.Code, c.Text)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-rules and reasons +CODES.md):\n%s", diff)
	}
	if !slices.IsSorted(codes) || len(slices.Compact(codes)) != len(got) {
		t.Errorf("codes are not each of one: %q", codes)
	}
}
