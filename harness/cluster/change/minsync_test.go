package change

import (
	"strings"
	"testing"
	"time"
)

// kube-proxy does not start when it is to write its rules more seldom than it is to refresh them.
func TestMinSyncIn(t *testing.T) {
	const config = "ipvs:\n  minSyncPeriod: 0s\n  syncPeriod: 0s\nmode: ipvs\n"
	for _, row := range []struct {
		sentence string
		minSync  time.Duration
		want     string
	}{
		{"shorter than the period by default", 10 * time.Second, "minSyncPeriod: 10s\n  syncPeriod: 30s\n"},
		{"longer than it", 50 * time.Second, "minSyncPeriod: 50s\n  syncPeriod: 50s\n"},
	} {
		if got, err := minSync(row.minSync).in(config, "ipvs"); err != nil || !strings.Contains(got, row.want) {
			t.Errorf("%s: %v\n%s", row.sentence, err, got)
		}
	}
	if _, err := minSync(time.Second).in(config, "nftables"); err == nil {
		t.Error("a configuration without a section of the mode was changed")
	}
}
