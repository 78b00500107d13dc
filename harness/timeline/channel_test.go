package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestChannelOf(t *testing.T) {
	state := func(at int, lane string, number int, state string) evidence.Event {
		e := noted(at, evidence.ChannelState, lane, state)
		e.Count, e.Clock = number, "n1"
		return e
	}
	lane := fresh("a", "n1")
	hits := paced("a", "1x11111") // sent at 10, 20, … ms, for 2 ms
	r := recording(hits, []evidence.Event{state(0, "a", 0, "IDLE"), state(0, "a", 1, "IDLE"), state(0, "a", 2, "IDLE"),
		state(0, "b", 3, "IDLE"), state(11, "a", 0, "CONNECTING"), state(12, "a", 0, "READY"),
		state(5, "a", 1, "TRANSIENT_FAILURE"), state(21, "b", 1, "READY"), state(23, "a", 1, "READY"), state(60, "a", 2, "READY")}, lane)
	r.Run.Clocks = []evidence.ClockReading{{Node: "n1", Offset: 7 * ms, Uncertainty: ms}}
	tl := join(t, r)
	for _, row := range []struct {
		sentence string
		seq      uint64
		lane     string
		want     *timeline.Channel // nil: not known
		states   []string
	}{
		{"it has not connected", 0, "a", &timeline.Channel{State: "IDLE", Since: timeline.Elapsed{Length: 10 * ms}},
			[]string{"IDLE", "CONNECTING", "READY"}},
		{"it could not connect, and that it could came too late", 1, "a",
			&timeline.Channel{Number: 1, State: "TRANSIENT_FAILURE", Since: timeline.Elapsed{Length: 15 * ms}}, []string{"TRANSIENT_FAILURE"}},
		{"RPCs use channels in turn", 3, "a", &timeline.Channel{State: "READY", Since: timeline.Elapsed{Length: 28 * ms}}, []string{"READY"}},
		{"a state that it comes into at the moment is the state", 5, "a", &timeline.Channel{Number: 2, State: "READY"}, []string{"READY"}},
		{"another lane has none", 0, "c", nil, nil},
	} {
		hit := timeline.Hit{Hit: hits[row.seq]}
		hit.Sent -= 7 * ms // on the recorder's clock
		hit.Lane = row.lane
		got, known := tl.ChannelOf(hit)
		var states []string
		for _, e := range got.States {
			states = append(states, e.Detail)
		}
		got.States = nil
		if known != (row.want != nil) || known && cmp.Diff(*row.want, got) != "" || cmp.Diff(row.states, states) != "" {
			t.Errorf("%s: %+v %q, %t", row.sentence, got, states, known)
		}
	}
	earlier := join(t, recording(hits, nil, lane))
	if c, known := earlier.ChannelOf(timeline.Hit{Hit: hits[0]}); known {
		t.Errorf("of an earlier build: %+v", c)
	}
}
