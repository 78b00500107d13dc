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
	"example.com/rollcall/harness/evidence/store"
)

// frameOf returns a frame as it is sent.
func frameOf(t *testing.T, frame store.Frame[evidence.Hit]) []byte {
	t.Helper()
	var wire bytes.Buffer
	if err := store.WriteFrame(&wire, frame); err != nil {
		t.Fatal(err)
	}
	return wire.Bytes()
}

// aFrame has one hit with every field set, one with none, and one at a time before the run began.
func aFrame() store.Frame[evidence.Hit] {
	return store.Frame[evidence.Hit]{First: 7, End: true, Records: []evidence.Hit{
		{
			Lane: "worker-reused", Seq: 1 << 40, Due: time.Hour, Sent: time.Hour + 321, Took: 2 * time.Millisecond, Status: 500,
			By:     evidence.Server{Version: "v1", Pod: "shop-v1-abc", Node: "worker"},
			Reused: true, Attempts: 2, LocalPort: 40000, Fault: evidence.BadStatus,
		},
		{},
		{Lane: "worker-reused", Sent: -time.Second, Fault: evidence.Refused},
	}}
}

// replying returns the address of an agent whose replies are all the same.
func replying(t *testing.T, body []byte) Remote {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) }))
	t.Cleanup(server.Close)
	return Remote{URL: server.URL, Client: server.Client()}
}

func TestFrameSurvivesTheWire(t *testing.T) {
	want := aFrame()
	got, err := replying(t, frameOf(t, want)).HitsFrom(t.Context(), "worker-reused", want.First)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHitsFromRefusesReplies(t *testing.T) {
	whole := frameOf(t, aFrame())
	tampered := bytes.Replace(whole, []byte("shop-v1"), []byte("shop-v2"), 1)
	tests := []struct {
		sentence string
		body     []byte
		from     int
		want     string
	}{
		{"nothing at all", nil, 7, io.ErrUnexpectedEOF.Error()},
		{"a frame cut in its checksum", whole[:5], 7, io.ErrUnexpectedEOF.Error()},
		{"a frame cut in its hits", whole[:len(whole)/2], 7, io.ErrUnexpectedEOF.Error()},
		{"another version put into a hit", tampered, 7, "damaged: checksum"},
		{"the hits before those asked for", whole, 8, "begins at hit 7, not 8"},
		{"the hits after those asked for", whole, 6, "begins at hit 7, not 6"},
		{"a frame twice", append(bytes.Clone(whole), whole...), 7, "goes on after its frame"},
		{"a frame and one byte", append(bytes.Clone(whole), 0), 7, "goes on after its frame"},
		{"a page of a proxy's", []byte("<html>Bad gateway, and please excuse us</html>\n"), 7, "damaged"},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			agent := replying(t, tt.body)
			frame, err := agent.HitsFrom(t.Context(), "worker-reused", tt.from)
			if diff := cmp.Diff(store.Frame[evidence.Hit]{}, frame); diff != "" {
				t.Errorf("beside the error came:\n%s", diff)
			}
			wantError(t, err, tt.want)
			wantError(t, err, agent.URL)
		})
	}
}

// TestEveryByteCounts cuts a reply at each of its bytes, and flips a bit of each.
func TestEveryByteCounts(t *testing.T) {
	whole := frameOf(t, aFrame())
	for n := range whole {
		if _, err := readFrames(bytes.NewReader(whole[:n]), []int{aFrame().First}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
		flipped := bytes.Clone(whole)
		flipped[n] ^= 4
		if _, err := readFrames(bytes.NewReader(flipped), []int{aFrame().First}); err == nil {
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
		{"fewer numbers than lanes", "?lane=worker-fresh&from=3&lane=worker-fresh", http.StatusBadRequest},
		{"more numbers than lanes", "?lane=worker-fresh&from=3&from=4", http.StatusBadRequest},
		{"no lane", "?from=0", http.StatusBadRequest},
		{"no number", "?lane=worker-fresh", http.StatusBadRequest},
		{"a number below zero", "?lane=worker-fresh&from=-1", http.StatusBadRequest},
		{"a number that is none", "?lane=worker-fresh&from=all", http.StatusBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			attack := overAfter(t, 5, 3)
			for want, agent := range map[int]*Agent{tt.status: {attacks: []*Attack{attack}}, http.StatusConflict: {}} {
				answer := httptest.NewRecorder()
				agent.hits(answer, httptest.NewRequest(http.MethodGet, "/v1/hits"+tt.query, nil))
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
		frames, err := agent.HitsOfLanes(t.Context(), []string{"worker-reused", "worker-fresh"}, []int{2, 4})
		if err != nil || len(frames) != 2 {
			t.Fatalf("%d frames, %v", len(frames), err)
		}
		for i, want := range []store.Frame[evidence.Hit]{
			{First: 2, End: true, Records: make([]evidence.Hit, 7)}, {First: 4, End: true, Records: make([]evidence.Hit, 1)}} {
			if got := frames[i]; got.First != want.First || got.End != want.End || len(got.Records) != len(want.Records) {
				t.Errorf("frame %d: %d hits from %d on, end %v; want %d from %d on, end %v",
					i, len(got.Records), got.First, got.End, len(want.Records), want.First, want.End)
			}
		}
	}
	frames, err := agent.HitsOfLanes(t.Context(), []string{"worker-reused", "worker-fresh"}, []int{3, 2})
	wantError(t, err, "410 Gone: forgotten: hits below 4")
	if frames != nil {
		t.Errorf("beside the error came %d frames", len(frames))
	}
}

// overAfter returns an attack that is over, of whose hits some were fetched.
func overAfter(t *testing.T, hits, fetched int) *Attack {
	t.Helper()
	a := &Attack{client: newClient(lane(evidence.Fresh, "http://127.0.0.1:1/", 1), Config{})}
	keepHits(a.client.buffer, hits)
	a.client.buffer.end()
	if _, err := a.client.buffer.from(fetched); err != nil {
		t.Fatal(err)
	}
	return a
}
