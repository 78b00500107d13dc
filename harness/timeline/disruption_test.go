package timeline_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func noted(at int, kind evidence.EventKind, object, detail string) evidence.Event {
	return evidence.Event{At: time.Duration(at) * ms, Kind: kind, Object: object, Detail: detail}
}

func TestMaintenance(t *testing.T) {
	begun, undone := noted(20, evidence.DisruptionBegun, "", "drain"), noted(50, evidence.DisruptionUndone, "", "")
	step := func(at int) evidence.Event { return noted(at, evidence.Step, "", "cordon") }
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		want     timeline.Window
		ok       bool
	}{
		{"without an event there is none", nil, timeline.Window{}, false},
		{"it lasts until it is undone", []evidence.Event{undone, begun}, timeline.Window{From: 20 * ms, To: 50 * ms}, true},
		{"it begins with its first marked step", []evidence.Event{begun, step(30), step(40), undone},
			timeline.Window{From: 30 * ms, To: 50 * ms}, true},
		{"a step before or after it does not count", []evidence.Event{step(10), begun, undone, step(60)},
			timeline.Window{From: 20 * ms, To: 50 * ms}, true},
		{"one whose recording was cut off has no end", []evidence.Event{begun}, timeline.Window{}, false},
		{"an end without a begin is none", []evidence.Event{undone}, timeline.Window{}, false},
		{"nor is one before the begin", []evidence.Event{noted(10, evidence.DisruptionUndone, "", ""), begun}, timeline.Window{}, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got, ok := join(t, recording(nil, row.events)).Maintenance(); got != row.want || ok != row.ok {
				t.Errorf("%+v %t, want %+v", got, ok, row.want)
			}
		})
	}
}
