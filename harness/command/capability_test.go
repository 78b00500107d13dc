package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissing(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		status   string
		highest  int
		want     []string
	}{
		{"a full set misses nothing", "CapBnd:\t000001ffffffffff\n", 40, nil},
		{"bit 24 is CAP_SYS_RESOURCE", "CapEff:\t0\nCapBnd:\t000001fffeffffff\nCapAmb:\t0\n", 40, []string{"CAP_SYS_RESOURCE"}},
		{"a capability newer than the table is named by its number", "CapBnd:\t000001ffffffffff\n", 41, []string{"CAP_41"}},
		{"an unreadable status claims nothing", "", 40, nil},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, missingCapabilities(tc.status, tc.highest)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
