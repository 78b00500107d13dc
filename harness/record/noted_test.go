package record

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/loadgen"
)

// Events of lanes are collected with the hits, on the clock of the lane's node.
func TestCertificatesThatLanesWereShown(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	recorder, err := store.Record(t.TempDir()+"/run", evidence.Run{})
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Abort()
	var asked atomic.Int32
	app := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer app.Close()
	api := httptest.NewServer(serveAgent(t, t.TempDir()))
	defer api.Close()
	// Each request makes a TLS handshake: a busy host does not keep up with 100 per second under the race detector.
	lanes := []evidence.Lane{{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Target: app.URL, Rate: 10}}
	cl := &clients{lanes: lanes, service: "shop", userHTTP: &loadgen.UserHTTP{TLS: &loadgen.TLS{Insecure: true}},
		agents: []*agent{{place: newTestPlace(t), name: "agent-x", node: "worker", lanes: lanes,
			remote: loadgen.Remote{URL: api.URL, Token: "token"}}}}
	began := time.Now()
	if err := errors.Join(cl.identify(ctx, began), cl.start(ctx, began, recorder)); err != nil {
		t.Fatal(err)
	}
	loaded := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) { return asked.Load() > 0, nil })
	if err := errors.Join(loaded, cl.stop(ctx)); err != nil {
		t.Fatal(err)
	}
	if doubts := cl.collect(ctx); len(doubts) > 0 {
		t.Errorf("doubts %+v", doubts)
	}
	want := evidence.DescribeCertificate(app.Certificate())
	if n := cl.noted; len(n) != 1 || n[0].Kind != evidence.CertificateSeen || n[0].Clock != "worker" || n[0].Object != lanes[0].ID ||
		n[0].Detail != want || n[0].At <= 0 {
		t.Errorf("%+v, want %s", n, want)
	}
}

// Events of channels are recorded as they come, on the clock of the lane's node.
func TestStatesOfChannels(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir() + "/run"
	recorder, err := store.Record(dir, evidence.Run{})
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Abort()
	var asked atomic.Int32
	app, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	go func() { // it speaks no gRPC
		for {
			c, err := app.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			c.Close()
		}
	}()
	api := httptest.NewServer(serveAgent(t, t.TempDir()))
	defer api.Close()
	lanes := []evidence.Lane{{ID: "worker-grpc", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Reused, Protocol: evidence.GRPC,
		Target: "http://" + app.Addr().String(), Rate: 10}}
	cl := &clients{lanes: lanes, service: "shop", agents: []*agent{{place: newTestPlace(t), name: "agent-x", node: "worker", lanes: lanes,
		remote: loadgen.Remote{URL: api.URL, Token: "token"}}}}
	began := time.Now()
	if err := errors.Join(cl.identify(ctx, began), cl.start(ctx, began, recorder)); err != nil {
		t.Fatal(err)
	}
	loaded := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) { return asked.Load() > 1, nil })
	if err := errors.Join(loaded, cl.stop(ctx)); err != nil {
		t.Fatal(err)
	}
	if doubts := cl.collect(ctx); len(doubts) > 0 {
		t.Errorf("doubts %+v", doubts)
	}
	if err := recorder.Finish(evidence.Run{Lanes: lanes}); err != nil {
		t.Fatal(err)
	}
	ev, err := store.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var first []string // states of the first channel
	for _, e := range ev.Events {
		if e.Kind != evidence.ChannelState || e.Clock != "worker" || e.Object != "worker-grpc" || e.At <= 0 {
			t.Errorf("event %+v", e)
		}
		if e.Count == 0 {
			first = append(first, e.Detail)
		}
	}
	if !slices.Equal(first, []string{"IDLE", "CONNECTING", "TRANSIENT_FAILURE"}) {
		t.Errorf("states %q", first)
	}
}
