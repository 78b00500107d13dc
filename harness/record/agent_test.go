package record

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/poll"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
	"rollcall/loadgen"
)

// TestAgentIsRecorded records a lane of each kind of connection, from the order to start until the evidence is joined: what the
// fetcher and the app's own stream bring has to come out as the lanes'.
func TestAgentIsRecorded(t *testing.T) {
	const rate, enough, lasts = 200, 120, 600 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	folder := t.TempDir() + "/run"
	recorder, err := store.Record(folder, evidence.Run{})
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Abort()
	began := time.Now()
	arrived := map[string]*atomic.Int32{"worker-fresh": {}, "worker-reused": {}}
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by := evidence.Server{Version: "v1", Pod: "shop-1", Node: "worker"}
		seq, _ := strconv.ParseUint(r.Header.Get("X-Vegeta-Seq"), 10, 64)
		recorder.Arrivals(evidence.Arrival{Lane: r.Header.Get("X-Vegeta-Attack"), Seq: seq, At: time.Since(began), By: by})
		for name, value := range map[string]string{"Service": "shop", "Version": by.Version, "Pod": by.Pod, "Node": by.Node} {
			w.Header().Set("X-Rollcall-"+name, value)
		}
		arrived[r.Header.Get("X-Vegeta-Attack")].Add(1)
	}))
	defer app.Close()
	run := evidence.Run{OldVersion: "v1", NewVersion: "v2", Expect: []evidence.Expectation{verdict.NoFailures(), verdict.NoHiddenRetries(),
		verdict.FullRate(99)}}
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		run.Lanes = append(run.Lanes, evidence.Lane{ID: "worker-" + string(conn), Vantage: evidence.FromPod, Node: "worker",
			Conn: conn, Target: app.URL, Rate: rate})
	}

	server, err := loadgen.NewAgent(loadgen.AgentConfig{Token: "token"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	api := httptest.NewServer(server)
	defer api.Close()
	a := &agent{node: "worker", lanes: run.Lanes, remote: loadgen.Remote{URL: api.URL, Token: "token"}}
	id, err := a.remote.Identity(ctx)
	if err != nil {
		t.Fatal(err)
	}
	a.instance = id.Instance
	const lead = 2 * time.Second // in which a busy machine tells it
	cfg := loadgen.Config{Began: began, At: time.Now().Add(lead), Service: "shop", Timeout: 30 * time.Second}
	if err := a.start(ctx, cfg, recorder); err != nil {
		t.Fatal(err)
	}
	if err := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) { // the load
		return arrived["worker-fresh"].Load() >= enough && arrived["worker-reused"].Load() >= enough, nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{
		func() error { return a.stop(ctx) },
		func() error { return a.fetcher.wait(ctx) },
		func() error { return a.laneErrors(ctx) },
	} {
		if err := step(); err != nil {
			t.Error(err)
		}
	}
	for i, kind := range (timeline.Timeline{}).PhaseMarks() { // the load, and a rollout of no length in its middle
		at := []time.Duration{0, lasts / 2, lasts / 2, time.Since(cfg.At)}[i]
		recorder.Event(evidence.Event{At: cfg.At.Sub(began) + at, Kind: kind})
	}
	if err := recorder.Finish(run); err != nil {
		t.Fatal(err)
	}

	ev, err := store.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string(nil), tl.Problems); diff != "" {
		t.Errorf("problems:\n%s", diff)
	}
	for _, lane := range tl.Lanes {
		if s := lane.Summary; s.Failed() > 0 || s.Requests < enough || s.Arrivals != s.Requests {
			t.Errorf("%s: %d requests, %d failed, %d arrived; want %d or more and no failure", lane.ID, s.Requests, s.Failed(), s.Arrivals, enough)
		}
	}
	if v := verdict.Judge(ev.Run, tl); v.Outcome == verdict.Fail { // a machine that stalls makes it inconclusive
		t.Errorf("the verdict accuses the cluster: %s", v.Because)
	}
}
