package page

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
)

func TestWidth(t *testing.T) {
	for _, row := range []struct {
		name    string
		span    int64
		replies int
		width   int64
		buckets int
	}{
		{"40 s at 700 per second: a fifth of a second holds 140", 40_000, 28_000, 200, 200},
		{"40 s at 10,000 per second: the least width there is", 40_000, 400_000, 100, 400},
		{"40 s at 10 per second: as wide as is still of use", 40_000, 400, 500, 80},
		{"a day at 1,000 per second: as many buckets as there may be", 86_400_000, 86_400_000, 50_000, 1728},
		{"less than a bucket", 30, 2, 100, 1},
		{"nothing was answered", 40_000, 0, 500, 80},
	} {
		t.Run(row.name, func(t *testing.T) {
			if width, buckets := width(row.span, row.replies); width != row.width || buckets != row.buckets {
				t.Errorf("%d buckets of %d ms, want %d of %d", buckets, width, row.buckets, row.width)
			}
		})
	}
}

func TestSeries(t *testing.T) {
	at := func(sent, took time.Duration) reply { return newReply(sent*time.Millisecond, took*time.Microsecond) }
	replies := map[string]*[]reply{
		"v1": {at(1000, 10), at(1499, 30), at(900, 50)},  // the last before the first bucket
		"v2": {at(1400, 20), at(2100, 40), at(9000, 60)}, // and after the last
	}
	got := newSeries(replies, time.Second, 2500*time.Millisecond)
	want := series{
		From: 1000, Width: 500, Versions: []string{"v1", "v2"}, Replies: [][]int{{3, 0, 0}, {1, 0, 2}},
		P50: []*int{new(20), nil, new(40)}, P99: []*int{new(50), nil, new(60)}, Max: []*int{new(50), nil, new(60)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReplyCounterIsOnTheRecordersClock(t *testing.T) {
	run := evidence.Run{
		Lanes: []evidence.Lane{
			{ID: "ahead", Vantage: evidence.FromPod, Node: "worker"}, {ID: "control", Vantage: evidence.FromControl, Node: "worker"},
			{ID: "here", Vantage: evidence.FromHost},
		},
		Clocks: []evidence.ClockReading{{Node: "worker", Offset: 3 * time.Second, Uncertainty: time.Millisecond}},
	}
	counter := newReplyCounter(run)
	by := evidence.Server{Version: "v1"}
	if _, err := evidence.Hits([]evidence.Hit{
		{Lane: "ahead", Seq: 7, Due: 5 * time.Second, Sent: 5 * time.Second, By: by},
		{Lane: "ahead", Seq: 8, Sent: 6 * time.Second, By: by, Fault: evidence.Reset},
		{Lane: "control", Seq: 7, Sent: 5 * time.Second, By: by},
		{Lane: "here", Seq: 7, Sent: 5 * time.Second, By: by},
	}).Tee(counter.counting()).All(); err != nil {
		t.Fatal(err)
	}
	var sent []int64
	for _, r := range *counter.replies["v1"] {
		sent = append(sent, r.sent())
	}
	if diff := cmp.Diff([]int64{2000, 5000}, sent); diff != "" {
		t.Errorf("good replies by the Service, in ms (-want +got):\n%s", diff)
	}
}
