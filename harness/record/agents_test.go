package record

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
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

// TestAgentsShareLanes records a lane of each kind that 1, 2 and 4 agents carry, from the order to
// start until the evidence is joined: hits of several fetchers and the app's own stream must come out as one lane's.
func TestAgentsShareLanes(t *testing.T) {
	const rate, enough, lasts = 200, 120, 600 * time.Millisecond
	for _, agents := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(agents), func(t *testing.T) {
			t.Parallel()
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
					Conn: conn, Target: app.URL, Rate: rate, Agents: agents})
			}

			all := make([]*agent, agents)
			const lead = 2 * time.Second // in which a busy machine tells all of them
			cfg := loadgen.Config{Began: began, At: time.Now().Add(lead), Service: "shop", Timeout: 30 * time.Second}
			for i := range all {
				server, err := loadgen.NewAgent(loadgen.AgentConfig{Token: "token"})
				if err != nil {
					t.Fatal(err)
				}
				defer server.Stop()
				api := httptest.NewServer(server)
				defer api.Close()
				all[i] = &agent{node: "worker", index: i, lanes: run.Lanes, remote: loadgen.Remote{URL: api.URL, Token: "token"}}
				id, err := all[i].remote.Identity(ctx)
				if err != nil {
					t.Fatal(err)
				}
				all[i].instance = id.Instance
				if err := all[i].start(ctx, cfg, recorder); err != nil {
					t.Fatal(err)
				}
			}
			if err := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) { // the load
				return arrived["worker-fresh"].Load() >= enough && arrived["worker-reused"].Load() >= enough, nil
			}); err != nil {
				t.Fatal(err)
			}
			var stopping sync.WaitGroup
			for _, a := range all {
				stopping.Go(func() {
					if err := a.stop(ctx); err != nil {
						t.Error(err)
					}
				})
			}
			stopping.Wait()
			for _, a := range all {
				if err := a.fetcher.wait(ctx); err != nil {
					t.Error(err)
				}
				if err := a.laneErrors(ctx); err != nil {
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
				s := lane.Summary
				if s.Failed() > 0 || s.Requests < enough || s.Arrivals != s.Requests || len(s.Agents) != agents {
					t.Errorf("%s: %d requests by %d agents, %d failed, %d arrived; want %d or more and no failure", lane.ID, s.Requests,
						len(s.Agents), s.Failed(), s.Arrivals, enough)
				}
				for i, a := range s.Agents {
					if a.Requests == 0 {
						t.Errorf("%s: agent %d sent nothing", lane.ID, i)
					}
				}
				t.Logf("%s: %d requests, %.1f a second, lag p99 %v", lane.ID, s.Requests, s.Rate, s.Lag.P99)
			}
			v := verdict.Judge(ev.Run, tl) // a machine that stalls makes it inconclusive
			if t.Log(v.Outcome, v.Because); v.Outcome == verdict.Fail {
				t.Error("the verdict accuses the cluster")
			}
		})
	}
}
