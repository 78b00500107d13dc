package timeline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func noted(at int, kind evidence.EventKind, object, detail string) evidence.Event {
	return evidence.Event{At: time.Duration(at) * ms, Kind: kind, Object: object, Detail: detail}
}

func TestDisruptions(t *testing.T) {
	begun, undone, whole := noted(20, evidence.DisruptionBegun, "", "drain"), noted(50, evidence.DisruptionUndone, "", ""),
		noted(80, evidence.ClusterWhole, "", "")
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		want     []timeline.Disruption
	}{
		{"without an event there is none", nil, nil},
		{"it begins, is undone and the cluster is whole again", []evidence.Event{whole, begun, undone},
			[]timeline.Disruption{{What: "drain", Begun: 20 * ms, Undone: new(50 * ms), Whole: new(80 * ms)}}},
		{"one whose recording was cut off was not undone", []evidence.Event{begun}, []timeline.Disruption{{What: "drain", Begun: 20 * ms}}},
		{"one that undoes itself", []evidence.Event{begun, whole},
			[]timeline.Disruption{{What: "drain", Begun: 20 * ms, Whole: new(80 * ms)}}},
		{"an end without a begin is none", []evidence.Event{undone, whole}, nil},
		{"two, one after the other", []evidence.Event{begun, undone, whole, noted(100, evidence.DisruptionBegun, "", "reboot"),
			noted(120, evidence.DisruptionUndone, "", ""), noted(130, evidence.DisruptionUndone, "", "")},
			[]timeline.Disruption{{What: "drain", Begun: 20 * ms, Undone: new(50 * ms), Whole: new(80 * ms)},
				{What: "reboot", Begun: 100 * ms, Undone: new(120 * ms)}}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if diff := cmp.Diff(row.want, join(t, recording(nil, row.events)).Disruptions()); diff != "" {
				t.Errorf("disruptions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUntilWhole(t *testing.T) {
	for _, row := range []struct {
		sentence string
		d        timeline.Disruption
		want     time.Duration
		ok       bool
	}{
		{"from when it was undone", timeline.Disruption{Begun: 1, Undone: new(20 * ms), Whole: new(50 * ms)}, 30 * ms, true},
		{"not known of one that was not undone", timeline.Disruption{Whole: new(50 * ms)}, 0, false},
		{"not known of a cluster that did not become whole", timeline.Disruption{Undone: new(20 * ms)}, 0, false},
	} {
		if took, ok := row.d.UntilWhole(); took != row.want || ok != row.ok {
			t.Errorf("%s: %s %t", row.sentence, took, ok)
		}
	}
}
