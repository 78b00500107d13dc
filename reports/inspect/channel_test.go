package inspect_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/inspect"
)

// What is said of RPCs by the state of their channel.
func TestChannels(t *testing.T) {
	const ms = time.Millisecond
	folder := filepath.Join(t.TempDir(), "grpc")
	lane := evidence.Lane{ID: "worker-grpc", Node: "worker", Conn: evidence.Reused, Protocol: evidence.GRPC, Rate: 100}
	r, err := store.Record(folder, evidence.Run{Lanes: []evidence.Lane{lane}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort()
	for _, e := range []struct {
		at    time.Duration
		state string
	}{{0, "IDLE"}, {101, "CONNECTING"}, {102, "READY"}, {250, "IDLE"}, {301, "CONNECTING"}, {350, "TRANSIENT_FAILURE"}, {501, "READY"}} {
		r.Event(evidence.Event{At: e.at * ms, Clock: "worker", Kind: evidence.ChannelState, Object: lane.ID, Detail: e.state})
	}
	for seq, fault := range []evidence.Fault{evidence.NoFault, evidence.NoFault, evidence.Refused, evidence.Refused} {
		at := time.Duration(seq+1) * 100 * ms
		r.Hits(evidence.Hit{Lane: lane.ID, Seq: uint64(seq), Due: at, Sent: at, Took: 20 * ms, Fault: fault})
	}
	if err := r.Finish(evidence.Run{Lanes: []evidence.Lane{lane}}); err != nil {
		t.Fatal(err)
	}
	for seq, want := range [][]string{
		{"when sent     channel 0 was IDLE, since 0.100 s: an RPC makes it connect, and waits\n",
			"+0.001 s            events.jsonl      channel 0: CONNECTING\n", "+0.002 s            events.jsonl      channel 0: READY\n"},
		{"-0.098 s            events.jsonl      channel 0: READY\n"},
		{"when sent     channel 0 was IDLE, since 0.050 s: an RPC makes it connect, and waits\n"},
		{"when sent     channel 0 was TRANSIENT_FAILURE, since 0.050 s: an RPC fails at once\n"},
	} {
		id := timeline.HitID{Lane: lane.ID, Seq: uint64(seq)}
		opened, err := inspect.Open(folder, "a", id)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := opened.Request(&b, id); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(b.String(), line) {
				t.Errorf("RPC %d: %q is not in\n%s", seq, line, b.String())
			}
		}
		if said := strings.Contains(b.String(), "when sent"); said != strings.HasPrefix(want[0], "when sent") {
			t.Errorf("RPC %d:\n%s", seq, b.String())
		}
	}
}
