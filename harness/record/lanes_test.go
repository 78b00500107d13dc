package record

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
)

// A lane of streams has a rate of its own, and says how long they may last.
func TestLanesOfStreams(t *testing.T) {
	r := &Recording{UnderLoad: harness.UnderLoad{Rate: 25, Also: []string{evidence.Streaming},
		Streams: harness.Streams{Rate: 3, Longest: 10 * time.Second}}}
	want := []evidence.Lane{
		{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "n", Conn: evidence.Fresh, Target: "http://10.0.0.1/", Rate: 25},
		{ID: "worker-reused", Vantage: evidence.FromPod, Node: "n", Conn: evidence.Reused, Target: "http://10.0.0.1/", Rate: 25},
		{ID: "worker-stream", Vantage: evidence.FromPod, Node: "n", Conn: evidence.Fresh, Target: "http://10.0.0.1/", Rate: 3,
			Protocol: evidence.SSE, Longest: 10 * time.Second, EndMark: evidence.DoneMark},
	}
	if diff := cmp.Diff(want, r.lanesIn("worker", "n", map[evidence.Vantage]string{evidence.FromPod: "http://10.0.0.1/"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// RPCs need no end mark: their status is one.
func TestLanesOfRPCs(t *testing.T) {
	r := &Recording{UnderLoad: harness.UnderLoad{Rate: 25, Also: []string{evidence.RPCs, evidence.StreamedRPCs},
		Streams: harness.Streams{Rate: 3, Longest: 10 * time.Second}}}
	want := []evidence.Lane{
		{ID: "worker-grpc", Vantage: evidence.FromPod, Node: "n", Conn: evidence.Reused, Target: "http://10.0.0.1/", Rate: 25,
			Protocol: evidence.GRPC},
		{ID: "worker-grpc-stream", Vantage: evidence.FromPod, Node: "n", Conn: evidence.Reused, Target: "http://10.0.0.1/", Rate: 3,
			Protocol: evidence.GRPCStream, Longest: 10 * time.Second},
	}
	lanes := r.lanesIn("worker", "n", map[evidence.Vantage]string{evidence.FromPod: "http://10.0.0.1/"})
	if diff := cmp.Diff(want, lanes[len(lanes)-2:]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
