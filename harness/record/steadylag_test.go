package record

import (
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

type nobody struct{}

func (nobody) Hits(...evidence.Hit) {}

func TestLateSince(t *testing.T) {
	lane, control := evidence.Lane{ID: "worker-fresh"}, evidence.Lane{ID: "worker-control", Vantage: evidence.FromControl}
	hits := func(n int, lag time.Duration, fault evidence.Fault) (list []evidence.Hit) {
		for i := range n {
			due := 2*time.Second + time.Duration(i)*10*time.Millisecond
			list = append(list, evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due + lag, Fault: fault, Status: 200})
		}
		return list
	}
	for _, row := range []struct {
		sentence string
		hits     []evidence.Hit
		because  string
	}{
		{"clients that are in time", hits(100, 2*time.Millisecond, ""), ""},
		{"no client at all is no late client", nil, ""},
		{"one late request of 200 is no sign", append(hits(199, 2*time.Millisecond, ""), hits(1, time.Second, "")...), ""},
		{"three late requests of 100 are", append(hits(97, 2*time.Millisecond, ""), hits(3, time.Second, "")...),
			"3 of 100 requests of worker-fresh were sent over 0.050s late"},
		{"a failed request to the app is for the verdict to judge", append(hits(99, 0, ""), hits(1, 0, evidence.Timeout)...), ""},
		{"a failed request of the control lane is the machine's fault",
			[]evidence.Hit{{Lane: control.ID, Due: 3 * time.Second, Sent: 3 * time.Second, Fault: evidence.Timeout}},
			"1 of 1 requests of worker-control, which no rollout touches, failed"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			cl := clients{lanes: []evidence.Lane{lane, control}}
			cl.early.hitSink = nobody{}
			sink := &cl.early
			sink.Hits(evidence.Hit{Lane: lane.ID, Due: time.Second, Sent: 9 * time.Second}) // while connections are opened
			sink.Hits(row.hits...)
			got := cl.lateSince(2 * time.Second)
			if (got == "") != (row.because == "") || !strings.Contains(got, row.because) {
				t.Errorf("%q, want %q", got, row.because)
			}
			sink.Hits(hits(1, time.Hour, "")...)
			if cl.early.hits != nil && row.because == "" {
				t.Error("hits of the rollout are kept, which nobody asks for")
			}
		})
	}
}
