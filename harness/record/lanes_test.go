package record

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
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

// All clients of a user's app speak its protocol; a control pod is asked over HTTP.
func TestLanesOfAUsersProtocol(t *testing.T) {
	r := &Recording{UnderLoad: harness.UnderLoad{Rate: 25, Also: []string{evidence.Kept}, Protocol: evidence.SSE,
		UserApp: userapp.Existing("/chat", &loadgen.UserHTTP{}, evidence.UserApp{}),
		Streams: harness.Streams{Rate: 1, Longest: 3 * time.Minute, EndMark: "end"}}}
	targets := map[evidence.Vantage]string{evidence.FromPod: "http://web/chat", evidence.FromControl: "http://control/"}
	stream := evidence.Lane{ID: "worker-stream", Vantage: evidence.FromPod, Node: "n", Conn: evidence.Fresh, Target: "http://web/chat",
		Rate: 1, Protocol: evidence.SSE, Longest: 3 * time.Minute, EndMark: "end"}
	want := []evidence.Lane{{ID: "worker-control", Vantage: evidence.FromControl, Node: "n", Conn: evidence.Fresh, Target: "http://control/",
		Rate: 25}, stream}
	if diff := cmp.Diff(want, r.lanesIn("worker", "n", targets)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	outside := stream
	outside.ID, outside.Vantage, outside.Node = "outside-stream", evidence.FromHost, ""
	got := r.lanesIn("outside", "", map[evidence.Vantage]string{evidence.FromHost: "http://web/chat"})
	if diff := cmp.Diff([]evidence.Lane{outside}, got); diff != "" || got[0].Kind().Name != evidence.Streaming {
		t.Errorf("of kind %q (-want +got):\n%s", got[0].Kind().Name, diff)
	}
}
