package namespace

import (
	"testing"
	"time"

	"rollcall/fixtures"
)

func TestSweepSelects(t *testing.T) {
	now := time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		sentence string
		run      string
		expires  time.Time
		noTime   bool
		want     bool
	}{
		{"of a run that may live", "live", now.Add(time.Minute), false, false},
		{"of a run that is known to be dead", "dead", now.Add(time.Minute), false, true},
		{"of a run whose time is over", "old", now.Add(-time.Minute), false, true},
		{"of no run", "", now.Add(-time.Minute), false, false},
		{"without a time", "old", now, true, false},
	} {
		n := fixtures.Namespace("ns", row.run, fixtures.Restricted, row.expires)
		if row.noTime {
			n.Annotations = nil
		}
		if got := (Sweep{Stale: map[string]bool{"dead": true}}).selects(*n, now); got != row.want {
			t.Errorf("%s: %v", row.sentence, got)
		}
	}
}
