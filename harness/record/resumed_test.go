package record

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// A testPlace is a running pod whose container the API shows as restarted.
type testPlace struct {
	podPlace
	adopted, renewed atomic.Int32
}

// There is no port-forward: requests go to its own address.
func (p *testPlace) renew() { p.renewed.Add(1) }
func (p *testPlace) close() {}

func newTestPlace(t *testing.T) *testPlace {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "agent-x"}, Status: corev1.PodStatus{
		Phase: corev1.PodRunning,
		ContainerStatuses: []corev1.ContainerStatus{{
			State:                corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 137}},
		}},
	}}
	p := &testPlace{}
	p.podPlace = podPlace{pods: fake.NewClientset(pod).CoreV1().Pods("n"), pod: pod.Name,
		leaveCPUCgroup: func(*corev1.Pod) error { p.adopted.Add(1); return nil }}
	return p
}

// serveAgent serves an agent, whose spool may be that of an earlier one.
func serveAgent(t *testing.T, spool string) *loadgen.Agent {
	t.Helper()
	agent, err := loadgen.NewAgent(loadgen.AgentConfig{Token: "token", Spool: spool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(agent.Stop)
	return agent
}

// TestAgentThatWasAway records lanes of each kind of connection whose agent goes away and comes back: the evidence has no contradiction,
// and the verdict reports the absence.
func TestAgentThatWasAway(t *testing.T) {
	for _, row := range []struct {
		sentence string
		spool    bool // outlives the process
	}{{"it goes on with its spool", true}, {"it knows nothing any more", false}} {
		t.Run(row.sentence, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			folder := t.TempDir() + "/run"
			recorder, err := store.Record(folder, evidence.Run{})
			if err != nil {
				t.Fatal(err)
			}
			defer recorder.Abort()
			began := time.Now()
			var arrived atomic.Int32
			app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				by := evidence.Server{Version: "v1", Pod: "shop-1", Node: "worker"}
				seq, _ := strconv.ParseUint(r.Header.Get("X-Vegeta-Seq"), 10, 64)
				lane, suffixed := strings.CutSuffix(r.Header.Get("X-Vegeta-Attack"), ".K")
				if !suffixed {
					t.Errorf("a request names lane %s without the suffix", lane)
				}
				recorder.Arrivals(evidence.Arrival{Lane: lane, Seq: seq, At: time.Since(began), By: by})
				for name, value := range map[string]string{"Service": "shop", "Version": by.Version, "Pod": by.Pod, "Node": by.Node} {
					w.Header().Set("X-Rollcall-"+name, value)
				}
				arrived.Add(1)
			}))
			defer app.Close()
			spool := t.TempDir()
			first := serveAgent(t, spool)
			var now atomic.Pointer[http.Handler]
			behind := func(h http.Handler) { now.Store(&h) }
			var unanswered atomic.Int32
			away := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r); unanswered.Add(1) })
			behind(first)
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*now.Load()).ServeHTTP(w, r) }))
			defer api.Close()

			place := newTestPlace(t)
			const rate = 40
			var lanes []evidence.Lane
			for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
				lanes = append(lanes, evidence.Lane{ID: "worker-" + string(conn), Vantage: evidence.FromPod, Node: "worker", Conn: conn,
					Target: app.URL, Rate: rate})
			}
			const patient = time.Minute // on a busy machine a reply takes long
			cl := &clients{timeout: patient, lanes: lanes, service: "shop", laneSuffix: ".K", agents: []*agent{{place: place, name: "agent-x",
				node: "worker", lanes: lanes, remote: loadgen.Remote{URL: api.URL, Token: "token"}}}}
			identified, loads := cl.identify(ctx, began), time.Now()
			if err := errors.Join(identified, cl.start(ctx, began, recorder)); err != nil {
				t.Fatal(err)
			}
			if err := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) { return arrived.Load() >= 40, nil }); err != nil {
				t.Fatal("it does not load", err)
			}
			behind(away)
			first.Stop() // requests in flight end: the app gets no more of them
			begun := unanswered.Load()
			// Between two fetches it leaves requests out, and the second one comes after the first has failed.
			if err := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) { return unanswered.Load() >= begun+2, nil }); err != nil {
				t.Fatal("nobody asks for its hits while it is away", err)
			}
			left := t.TempDir()
			if row.spool {
				if err := os.CopyFS(left, os.DirFS(spool)); err != nil {
					t.Fatal(err)
				}
			}
			behind(serveAgent(t, left))
			if err := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) {
				return !row.spool || place.adopted.Load() > 0, nil
			}); err != nil {
				t.Fatal("its new process was not noticed", err)
			}

			if err := cl.stop(ctx); err != nil {
				t.Errorf("what one agent lost is no failure of the recording: %v", err)
			}
			doubts := cl.collect(ctx)
			if !row.spool {
				if len(doubts) != 1 || doubts[0].ID != evidence.AgentLost ||
					!strings.Contains(doubts[0].Because, "the agent restarted during the run") {
					t.Errorf("doubts %+v", doubts)
				}
				return
			}
			if len(doubts) > 0 || len(cl.absences) != len(lanes) || cl.absences[0].Why != "its container started again (Error, exit code 137)" {
				t.Fatalf("doubts %+v, absences %+v", doubts, cl.absences)
			}
			if place.adopted.Load() != 1 || len(cl.clocks) != 3 {
				t.Errorf("it left its CPU group %d times, and its clock was read %d times, want once and 3 times", place.adopted.Load(), len(cl.clocks))
			}
			run := evidence.Run{OldVersion: "v1", NewVersion: "v2", Lanes: cl.lanes, Clocks: cl.clocks, Absences: cl.absences,
				Expect: []evidence.Expectation{verdict.NoFailures()}}
			for _, e := range awayEvents(run.Absences, run.Lanes) {
				recorder.Event(e)
			}
			for i, kind := range (timeline.Timeline{}).PhaseMarks() {
				at := []time.Duration{0, 0, 0, time.Since(loads)}[i]
				recorder.Event(evidence.Event{At: loads.Sub(began) + at, Kind: kind})
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
			if diff := cmp.Diff([]timeline.Problem(nil), tl.Problems); diff != "" {
				t.Errorf("problems:\n%s", diff)
			}
			for _, lane := range tl.Lanes {
				s := lane.Summary
				intervals := float64(s.Requests - 1)
				least := intervals / (intervals/(0.99*rate) + s.Lag.Max.Seconds()) // on a busy machine the last one is sent late
				if s.Requests == 0 || s.Arrivals != s.Requests || s.Failed() > 0 || s.Rate < least {
					t.Errorf("%s: %d requests, %d arrived, failed: %v, %.1f per second, want %.1f or more", lane.ID, s.Requests, s.Arrivals,
						lane.Failed, s.Rate, least)
				}
			}
			v := verdict.Judge(ev.Run, tl)
			// On a busy machine there are other reasons too, such as requests that were sent late.
			if v.Outcome != verdict.Inconclusive || !slices.ContainsFunc(v.Distrust, func(r verdict.Reason) bool {
				return r.ID == evidence.AgentLost && strings.Contains(r.Because, "the load agent of worker was away for")
			}) {
				t.Errorf("%s: %+v", v.Outcome, v.Distrust)
			}
		})
	}
}

func TestAwayEvents(t *testing.T) {
	const second = time.Second
	lanes := []evidence.Lane{{ID: "worker-fresh", Node: "worker"}, {ID: "worker-reused", Node: "worker"},
		{ID: "worker2-fresh", Node: "worker2"}}
	why := "its container started again"
	got := awayEvents([]evidence.Absence{
		{Lane: "worker-fresh", From: 100, To: 300, Since: 2 * second, Until: 4 * second, Why: why},
		{Lane: "worker-reused", From: 101, To: 300, Since: 2010 * time.Millisecond, Until: 4 * second, Unknown: []uint64{98, 99}, Why: why},
		{Lane: "worker2-fresh", From: 100, To: 100, Since: 4 * second, Until: 4 * second, Unknown: []uint64{98}, Why: "its node booted"},
		{Lane: "worker-fresh", From: 400, To: 500, Since: 5 * second, Until: 6 * second, Why: why},
	}, lanes)
	want := []evidence.Event{
		{At: 4 * second, Clock: "worker", Kind: evidence.AgentAway, Object: "worker", Count: 2000,
			Detail: why + ": worker-fresh left out 100 to 299; worker-reused left out 101 to 299, had 2 in flight"},
		{At: 4 * second, Clock: "worker2", Kind: evidence.AgentAway, Object: "worker2",
			Detail: "its node booted: worker2-fresh had 1 in flight"},
		{At: 6 * second, Clock: "worker", Kind: evidence.AgentAway, Object: "worker", Count: 1000,
			Detail: why + ": worker-fresh left out 400 to 499"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestControlOfAnotherNode(t *testing.T) {
	on := func(node string) corev1.Pod { return corev1.Pod{Spec: corev1.PodSpec{NodeName: node}} }
	for _, row := range []struct {
		sentence string
		worker   string
		controls []corev1.Pod
		want     string
	}{
		{"of two it asks the other node's", "a", []corev1.Pod{on("a"), on("b")}, "b"},
		{"and so does the other", "b", []corev1.Pod{on("a"), on("b")}, "a"},
		{"a node without one asks any", "c", []corev1.Pod{on("a"), on("b")}, "a"},
		{"a node that is alone asks its own", "a", []corev1.Pod{on("a")}, "a"},
	} {
		if got := controlOf(row.worker, row.controls).Spec.NodeName; got != row.want {
			t.Errorf("%s: %s, want %s", row.sentence, got, row.want)
		}
	}
}
