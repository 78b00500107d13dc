package record

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
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
