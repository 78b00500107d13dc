package grpclane

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// A loading is a lane under load by an agent, and what was fetched of it so far.
type loading struct {
	agent       loadgen.Remote
	lane        string
	next        int64
	ended       bool
	hits        []evidence.Hit
	connections []evidence.Connection
	events      []evidence.Event
}

// fetch fetches what came of the lane since.
func (l *loading) fetch(t *testing.T) {
	t.Helper()
	ranges, err := l.agent.HitsOfLanes(t.Context(), []string{l.lane}, []int64{l.next})
	if err != nil {
		t.Fatal(err)
	}
	l.hits, l.connections = append(l.hits, ranges[0].Hits...), append(l.connections, ranges[0].Connections...)
	l.events, l.next, l.ended = append(l.events, ranges[0].Events...), ranges[0].Next, ranges[0].End
}

// load loads a lane by an agent, until rolled has returned, and returns what came of it.
func load(t *testing.T, l evidence.Lane, user *loadgen.UserHTTP, rolled func()) (hits []evidence.Hit, connections []evidence.Connection) {
	t.Helper()
	got := loadFetching(t, l, user, func(*loading) { rolled() })
	slices.Reverse(got.connections) // the last that was noted of each is the first
	slices.SortStableFunc(got.connections, func(a, b evidence.Connection) int { return cmp.Compare(a.Number, b.Number) })
	return got.hits, slices.CompactFunc(got.connections, func(a, b evidence.Connection) bool { return a.Number == b.Number })
}

// loadFetching does the same, and rolled may fetch.
func loadFetching(t *testing.T, l evidence.Lane, user *loadgen.UserHTTP, rolled func(*loading)) *loading {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- loadgen.Serve(serving, listener, loadgen.AgentConfig{Token: "open-sesame"}) }()
	agent := loadgen.Remote{URL: "http://" + listener.Addr().String(), Token: "open-sesame",
		Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	cfg := loadgen.Config{Began: time.Now(), Service: "shop", Timeout: patient, UserHTTP: user}
	if err := agent.Start(ctx, []evidence.Lane{l}, cfg); err != nil {
		t.Fatal(err)
	}
	got := &loading{agent: agent, lane: l.ID}
	rolled(got)
	if err := agent.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	for !got.ended {
		got.fetch(t)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return got
}

// await waits until an app has got RPCs over each channel of a lane.
func (a *app) await(t *testing.T) {
	t.Helper()
	over := map[uint64]bool{}
	for len(over) < channels {
		select {
		case seq := <-a.arrivals:
			over[seq%channels] = true
		case <-time.After(patient):
			t.Fatalf("RPCs arrived over %d channels in %v, want %d", len(over), patient, channels)
		}
	}
}

// compare compares what clients and servers count: no RPC arrives twice unless its client was told, and what has a reply has arrived.
func compare(t *testing.T, hits []evidence.Hit, apps ...*app) (lost int) {
	t.Helper()
	for i, h := range hits {
		arrived := 0
		for _, a := range apps {
			arrived += a.arrived[h.Seq]
		}
		switch {
		case h.Failed():
			lost++
		case arrived == 0:
			t.Errorf("RPC %d is answered, and arrived nowhere", h.Seq)
		}
		if arrived > int(h.Attempts) || h.Attempts > 2 {
			t.Errorf("RPC %d arrived %d times, and was sent %d times", h.Seq, arrived, h.Attempts)
		}
		if h.Seq != uint64(i) && !slices.ContainsFunc(hits, func(of evidence.Hit) bool { return of.Seq == uint64(i) }) {
			t.Errorf("RPC %d has no hit", i)
		}
	}
	return lost
}

func slowly(ctx context.Context) error {
	select {
	case <-time.After(50 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestDrain drains a server while a lane has RPCs in flight. The clients are told, and lose none.
func TestDrain(t *testing.T) {
	old, next, front := newApp("old"), newApp("new"), newFront(t)
	old.reply, next.reply = slowly, slowly
	front.lead(t, old)
	hits, rows := load(t, laneOf(evidence.GRPC, "http://"+front.Addr().String(), 100), nil, func() {
		old.await(t)
		front.lead(t, next)
		old.GracefulStop()
		next.await(t)
	})
	if lost := compare(t, hits, old, next); lost > 0 {
		t.Errorf("%d RPCs are lost", lost)
	}
	pods, sent, answered := map[string]int{}, 0, 0
	for _, c := range rows {
		pods[c.By.Pod]++
		sent, answered = sent+c.Sent, answered+c.Answered
		told := c.By.Pod == "old"
		if c.End == "" || told != (c.ToldBy == evidence.GoAway) || told != c.Cut() {
			t.Errorf("connection %+v", c)
		}
	}
	if pods["old"] != channels || pods["new"] != channels || len(rows) != 2*channels {
		t.Errorf("connections by pod: %v, want %d each", pods, channels)
	}
	attempts := 0
	for _, h := range hits {
		attempts += int(h.Attempts)
	}
	if sent != attempts || answered != len(hits) {
		t.Errorf("%d RPCs were sent over connections and %d answered, by the hits %d and %d", sent, answered, attempts, len(hits))
	}
}

// TestStop stops a server while a lane has RPCs in flight, which are lost.
func TestStop(t *testing.T) {
	old, next, front := newApp("old"), newApp("new"), newFront(t)
	old.reply = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	front.lead(t, old)
	hits, rows := load(t, laneOf(evidence.GRPC, "http://"+front.Addr().String(), 100), nil, func() {
		old.await(t)
		front.lead(t, next)
		old.Stop()
		next.await(t)
	})
	lost, ended := compare(t, hits, old, next), map[uint32]bool{}
	for _, c := range rows {
		ended[c.Number] = c.ToldBy == "" && c.End.By() == "server" && c.InFlight > 0 && c.Answered == 0
	}
	for _, h := range hits {
		if h.Failed() && (h.Fault != evidence.Closed && h.Fault != evidence.Reset || !ended[h.Connection]) {
			t.Errorf("RPC %d: %s over connection %d", h.Seq, h.Fault, h.Connection)
		}
	}
	if lost < channels {
		t.Errorf("%d RPCs are lost, and %d or more were in flight", lost, channels)
	}
}
