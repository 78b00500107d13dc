package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/layout"
	"rollcall/harness/usage"
)

func TestSelectSuites(t *testing.T) {
	home := layout.Layout{Folder: t.TempDir()}
	for _, suite := range []string{"control", "rollout"} {
		dir := filepath.Join(home.Folder, "suites", suite)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "suite_test.go"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		sentence, asked string
		want            []string
		refused         string
	}{
		{"none asked for is all", "", []string{"control", "rollout"}, ""},
		{"the order asked for is kept", "rollout, control", []string{"rollout", "control"}, ""},
		{"one named twice runs once", "control control", []string{"control"}, ""},
		{"an unknown one is refused with those there are", "rollout nope", nil, "control, rollout"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			got, err := selectSuites(home, tc.asked)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if usage.Is(err) != (tc.refused != "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
				t.Errorf("error %v, want %q", err, tc.refused)
			}
		})
	}
}
