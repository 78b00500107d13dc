package kube

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/usage"
)

func TestResolve(t *testing.T) {
	for _, tc := range []struct {
		sentence, asked, want string
		refused               bool
	}{
		{"nothing asked is the default", "", Default, false},
		{"a version of the table is itself", "v1.37.2", "v1.37.2", false},
		{"the leading v may be left out", "1.37.2", "v1.37.2", false},
		{"a minor is its version of the table", "1.35", "v1.35.4", false},
		{"an x stands for the patch", "v1.36.x", "v1.36.3", false},
		{"a patch that is not in the table is refused, not replaced", "v1.36.1", "", true},
		{"one that kind publishes is meant when it is written in full", "1.37.0", "v1.37.0", false},
		{"a major alone says too little", "v1", "", true},
		{"a word is refused", "latest", "", true},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			got, err := Resolve(tc.asked)
			if got != tc.want || usage.Is(err) != tc.refused {
				t.Errorf("Resolve(%q) = %q, %v", tc.asked, got, err)
			}
			if tc.refused && !strings.Contains(err.Error(), Default) {
				t.Errorf("the refusal %q does not say what is known", err)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	const older = "older than v1.35, the oldest that is supported: claims that need a newer one are skipped"
	for _, row := range []struct{ sentence, version, want string }{
		{"the oldest", "v1.35.0", ""},
		{"the newest, with a provider's suffix", "v1.37.9-gke.100", ""},
		{"one before", "v1.34.7-eks-1a2b3c4", older},
		{"that of the articles", "v1.30.5", older},
		{"one after", "v1.38.0", "newer than v1.37, the newest that is supported: what is different in it is not known"},
		{"one that cannot be read", "unknown", ""},
	} {
		if got := Unsupported(row.version); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
