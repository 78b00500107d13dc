package loadgen

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// aRange has one hit with every field set, one with none, and one at a time before the run began, among what an agent logs besides.
func aRange() (reply []byte, want Range) {
	want = Range{End: true, Hits: []evidence.Hit{
		{
			Lane: "worker-reused", Seq: 1 << 40, Due: time.Hour, Sent: time.Hour + 321, Took: 2 * time.Millisecond, Status: 500,
			By:     evidence.Server{Version: "v1", Pod: "shop-v1-abc", Node: "worker"},
			Reused: true, Attempts: 2, LocalPort: 40000, Fault: evidence.BadStatus,
		},
		{},
		{Lane: "worker-reused", Sent: -time.Second, Fault: evidence.Refused},
	}}
	for _, h := range want.Hits {
		want.Log = framelog.Append(framelog.Append(want.Log, framelog.Sent, []byte("7")), framelog.Hit, encode(h))
	}
	want.From, want.Next = 7, 7+int64(len(want.Log))
	return want.appendTo(nil), want
}

// replying returns the address of an agent whose replies are all the same.
func replying(t *testing.T, body []byte) Remote {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) }))
	t.Cleanup(server.Close)
	return Remote{URL: server.URL, Client: server.Client()}
}

func TestRangeSurvivesTheWire(t *testing.T) {
	reply, want := aRange()
	got, err := replying(t, reply).HitsFrom(t.Context(), "worker-reused", 7)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHitsFromRefusesReplies(t *testing.T) {
	whole, _ := aRange()
	tampered := bytes.Replace(whole, []byte("shop-v1"), []byte("shop-v2"), 1)
	tests := []struct {
		sentence string
		body     []byte
		from     int64
		want     string
	}{
		{"nothing at all", nil, 7, io.ErrUnexpectedEOF.Error()},
		{"a range cut in a checksum", whole[:5], 7, io.ErrUnexpectedEOF.Error()},
		{"a range cut in its hits", whole[:len(whole)/2], 7, io.ErrUnexpectedEOF.Error()},
		{"another version put into a hit", tampered, 7, "damaged: checksum"},
		{"a hit that is none", framelog.Append(nil, framelog.Hit, []byte("x")), 7, "invalid character"},
		{"what is before the position asked for", whole, 8, "begins at 7, not 8"},
		{"what is after the position asked for", whole, 6, "begins at 7, not 6"},
		{"a range twice", append(bytes.Clone(whole), whole...), 7, "goes on after its range"},
		{"a range and one byte", append(bytes.Clone(whole), 0), 7, "goes on after its range"},
		{"a page of a proxy's", []byte("<html>Bad gateway, and please excuse us</html>\n"), 7, "damaged"},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			agent := replying(t, tt.body)
			r, err := agent.HitsFrom(t.Context(), "worker-reused", tt.from)
			if diff := cmp.Diff(Range{}, r); diff != "" {
				t.Errorf("beside the error came:\n%s", diff)
			}
			wantError(t, err, tt.want)
			wantError(t, err, agent.URL)
		})
	}
}

// TestEveryByteCounts cuts a reply at each of its bytes, and flips a bit of each.
func TestEveryByteCounts(t *testing.T) {
	whole, _ := aRange()
	for n := range whole {
		if _, err := readRanges(bytes.NewReader(whole[:n]), []int64{7}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
		flipped := bytes.Clone(whole)
		flipped[n] ^= 4
		if _, err := readRanges(bytes.NewReader(flipped), []int64{7}); err == nil {
			t.Errorf("byte %d of %d was flipped and nobody noticed", n, len(whole))
		}
	}
}

// TestHitsAnswers asks an agent's API for hits that it has, no longer has, and never had.
func TestHitsAnswers(t *testing.T) {
	tests := []struct {
		sentence string
		query    string
		status   int
	}{
		{"hits that are there", "?lane=worker-fresh&from=3", http.StatusOK},
		{"the end", "?lane=worker-fresh&from=5", http.StatusOK},
		{"hits that were forgotten", "?lane=worker-fresh&from=2", http.StatusGone},
		{"hits that never were", "?lane=worker-fresh&from=6", http.StatusRequestedRangeNotSatisfiable},
		{"a lane it does not load", "?lane=worker2-fresh&from=0", http.StatusNotFound},
		{"one lane twice", "?lane=worker-fresh&from=3&lane=worker-fresh&from=4", http.StatusOK},
		{"a second lane it does not load", "?lane=worker-fresh&from=3&lane=worker2-fresh&from=0", http.StatusNotFound},
		{"fewer positions than lanes", "?lane=worker-fresh&from=3&lane=worker-fresh", http.StatusBadRequest},
		{"more positions than lanes", "?lane=worker-fresh&from=3&from=4", http.StatusBadRequest},
		{"no lane", "?from=0", http.StatusBadRequest},
		{"no position", "?lane=worker-fresh", http.StatusBadRequest},
		{"a position below zero", "?lane=worker-fresh&from=-1", http.StatusBadRequest},
		{"a position that is none", "?lane=worker-fresh&from=all", http.StatusBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			attack := overAfter(t, 5, 3)
			for want, agent := range map[int]*Agent{tt.status: {attacks: []*Attack{attack}}, http.StatusConflict: {}} {
				answer := httptest.NewRecorder()
				agent.hits(answer, httptest.NewRequest(http.MethodGet, "/v4/hits"+tt.query, nil))
				if answer.Code != want {
					t.Errorf("got %d %s, want %d", answer.Code, answer.Body, want)
				}
			}
		})
	}
}

// TestHitsOfLanes asks for the hits of two lanes at once, and then again, as after a reply that was lost.
func TestHitsOfLanes(t *testing.T) {
	fresh, reused := overAfter(t, 5, 3), overAfter(t, 9, 0)
	reused.client.lane.ID = "worker-reused"
	server := httptest.NewServer(http.HandlerFunc((&Agent{attacks: []*Attack{fresh, reused}}).hits))
	t.Cleanup(server.Close)
	agent := Remote{URL: server.URL, Client: server.Client()}
	for range 2 {
		ranges, err := agent.HitsOfLanes(t.Context(), []string{"worker-reused", "worker-fresh"}, []int64{2, 4})
		if err != nil || len(ranges) != 2 {
			t.Fatalf("%d ranges, %v", len(ranges), err)
		}
		for i, want := range []Range{{Next: 9, End: true, Hits: make([]evidence.Hit, 7)}, {Next: 5, End: true, Hits: make([]evidence.Hit, 1)}} {
			if got := ranges[i]; got.Next != want.Next || got.End != want.End || len(got.Hits) != len(want.Hits) {
				t.Errorf("range %d: %d hits up to %d, end %v; want %d up to %d, end %v",
					i, len(got.Hits), got.Next, got.End, len(want.Hits), want.Next, want.End)
			}
		}
	}
	ranges, err := agent.HitsOfLanes(t.Context(), []string{"worker-reused", "worker-fresh"}, []int64{3, 2})
	wantError(t, err, "410 Gone: forgotten: what is before 4")
	if ranges != nil {
		t.Errorf("beside the error came %d ranges", len(ranges))
	}
}

// overAfter returns an attack that is over, of whose hits some were fetched.
func overAfter(t *testing.T, hits int, fetched int64) *Attack {
	t.Helper()
	a := &Attack{client: clientOf(lane(evidence.Fresh, "http://127.0.0.1:1/", 1), Config{})}
	keepHits(a.client.buffer, hits)
	a.client.buffer.end()
	if _, err := a.client.buffer.from(fetched); err != nil {
		t.Fatal(err)
	}
	return a
}
