package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithWrapper(t *testing.T) {
	const wrapper = `"path": "/usr/local/lib/rollcall/ociruntime"`
	for _, tc := range []struct {
		sentence, before string
		keeps            []string
		err              string
	}{
		{"without a file the wrapper is the only setting", "", nil, ""},
		{"other settings stay", `{"log-level":"warn","bip":"10.9.0.1/24"}`, []string{`"log-level": "warn"`, `"bip": "10.9.0.1/24"`}, ""},
		{"other runtimes stay", `{"runtimes":{"crun":{"path":"/usr/bin/crun"}}}`, []string{`"path": "/usr/bin/crun"`}, ""},
		{"a default runtime of somebody else is not replaced", `{"default-runtime":"nvidia"}`, nil, "does not replace"},
		{"the engine's own default is", `{"default-runtime":"runc"}`, nil, ""},
		{"a file that is not JSON is not touched", `{"bip":`, nil, "not a JSON object"},
		{"runtimes of another shape are not touched", `{"runtimes":[]}`, nil, "runtimes"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			after, err := withWrapper([]byte(tc.before))
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("error %v, want %q", err, tc.err)
			}
			if err != nil {
				return
			}
			for _, text := range append(tc.keeps, wrapper, `"default-runtime": "rollcall"`) {
				if !strings.Contains(string(after), text) {
					t.Errorf("%s lacks %s", after, text)
				}
			}
			again, err := withWrapper(after)
			if diff := cmp.Diff(string(after), string(again)); err != nil || diff != "" {
				t.Errorf("a second time changes something: %v %s", err, diff)
			}
		})
	}
}
