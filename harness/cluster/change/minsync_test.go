package change

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// kube-proxy does not start with a syncPeriod shorter than its minSyncPeriod.
func TestMinSyncIn(t *testing.T) {
	for _, row := range []struct {
		sentence string
		minSync  time.Duration
		want     map[string]any
	}{
		{"shorter than the period by default", 10 * time.Second, map[string]any{"minSyncPeriod": "10s", "syncPeriod": "30s"}},
		{"longer than it", 50 * time.Second, map[string]any{"minSyncPeriod": "50s", "syncPeriod": "50s"}},
	} {
		config := map[string]any{"mode": "ipvs", "ipvs": map[string]any{"minSyncPeriod": "0s", "syncPeriod": "0s"}}
		if err := minSync(row.minSync).in(config, "ipvs"); err != nil || !cmp.Equal(config["ipvs"], any(row.want)) {
			t.Errorf("%s: %v, %v", row.sentence, err, config)
		}
	}
	if err := minSync(time.Second).in(map[string]any{"mode": "ipvs"}, "nftables"); err == nil {
		t.Error("a configuration without a section of the mode was changed")
	}
}
