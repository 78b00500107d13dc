package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/usage"
)

func TestSelectedSuites(t *testing.T) {
	for _, tc := range []struct {
		sentence, asked string
		want            []string
		refused         string
	}{
		{"none asked for is all", "", []string{"control", "rollout"}, ""},
		{"the order asked for is kept", "rollout, control", []string{"rollout", "control"}, ""},
		{"one named twice runs once", "control control", []string{"control"}, ""},
		{"an unknown one is refused, and what lists them named", "rollout nope", nil, "choose one that rollcall list shows"},
		{"a mistyped one is refused with the nearest", "rolout", nil, "did you mean rollout?"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			got, err := Selection{Suites: tc.asked}.Names(fakeSuites("rollout control"))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if usage.Is(err) != (tc.refused != "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
				t.Errorf("error %v, want %q", err, tc.refused)
			}
		})
	}
}
