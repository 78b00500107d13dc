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

// An awayAgent is an agent whose lanes are recorded while it goes away and comes back.
type awayAgent struct {
	*testing.T
	folder     string
	recorder   *store.Recorder
	began      time.Time
	loads      time.Time // when the load began
	arrived    atomic.Int32
	unanswered atomic.Int32 // calls while it is away
	api        atomic.Pointer[http.Handler]
	spool      string
	agent      *loadgen.Agent
	place      *testPlace
	lanes      []evidence.Lane
	clients    *clients
}

// awayRate is the rate of its lanes.
const awayRate = 40

// recordAwayAgent records a lane of each kind of connection until some requests have arrived.
func recordAwayAgent(ctx context.Context, t *testing.T) *awayAgent {
	a := &awayAgent{T: t, folder: t.TempDir() + "/run", began: time.Now(), spool: t.TempDir(), place: newTestPlace(t)}
	var err error
	if a.recorder, err = store.Record(a.folder, evidence.Run{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.recorder.Abort() })
	app := httptest.NewServer(http.HandlerFunc(a.serveApp))
	t.Cleanup(app.Close)
	a.agent = serveAgent(t, a.spool)
	a.behind(a.agent)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*a.api.Load()).ServeHTTP(w, r) }))
	t.Cleanup(api.Close)
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		a.lanes = append(a.lanes, evidence.Lane{ID: "worker-" + string(conn), Vantage: evidence.FromPod, Node: "worker", Conn: conn,
			Target: app.URL, Rate: awayRate})
	}
	const patient = time.Minute // on a busy machine a reply takes long
	a.clients = &clients{timeout: patient, lanes: a.lanes, service: "shop", laneSuffix: ".K", agents: []*agent{{place: a.place,
		name: "agent-x", node: "worker", lanes: a.lanes, remote: loadgen.Remote{URL: api.URL, Token: "token"}}}}
	identified := a.clients.identify(ctx, a.began)
	a.loads = time.Now()
	if err := errors.Join(identified, a.clients.start(ctx, a.began, a.recorder)); err != nil {
		t.Fatal(err)
	}
	a.until(ctx, "it does not load", func() bool { return a.arrived.Load() >= 40 })
	return a
}

// serveApp records the arrival of a request, and replies as a pod does.
func (a *awayAgent) serveApp(w http.ResponseWriter, r *http.Request) {
	by := evidence.Server{Version: "v1", Pod: "shop-1", Node: "worker"}
	seq, _ := strconv.ParseUint(r.Header.Get("X-Vegeta-Seq"), 10, 64)
	lane, suffixed := strings.CutSuffix(r.Header.Get("X-Vegeta-Attack"), ".K")
	if !suffixed {
		a.Errorf("a request names lane %s without the suffix", lane)
	}
	a.recorder.Arrivals(evidence.Arrival{Lane: lane, Seq: seq, At: time.Since(a.began), By: by})
	for name, value := range map[string]string{"Service": "shop", "Version": by.Version, "Pod": by.Pod, "Node": by.Node} {
		w.Header().Set("X-Rollcall-"+name, value)
	}
	a.arrived.Add(1)
}

func (a *awayAgent) behind(h http.Handler) { a.api.Store(&h) }

func (a *awayAgent) until(ctx context.Context, otherwise string, holds func() bool) {
	a.Helper()
	if err := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) { return holds(), nil }); err != nil {
		a.Fatal(otherwise, err)
	}
}

// leave ends the agent. Between two fetches it leaves requests out, and the second one comes after the first has failed.
func (a *awayAgent) leave(ctx context.Context) {
	a.behind(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r); a.unanswered.Add(1) }))
	a.agent.Stop() // requests in flight end: the app gets no more of them
	begun := a.unanswered.Load()
	a.until(ctx, "nobody asks for its hits while it is away", func() bool { return a.unanswered.Load() >= begun+2 })
}

// stop ends the load, and returns why the recording is in doubt.
func (a *awayAgent) stop(ctx context.Context) []evidence.Reason {
	if err := a.clients.stop(ctx); err != nil {
		a.Errorf("what one agent lost is not a failure of the recording: %v", err)
	}
	return a.clients.collect(ctx)
}

// joined returns what was recorded, and its timeline.
func (a *awayAgent) joined() (evidence.Evidence, timeline.Timeline) {
	run := evidence.Run{OldVersion: "v1", NewVersion: "v2", Lanes: a.clients.lanes, Clocks: a.clients.clocks, Absences: a.clients.absences,
		Expect: []evidence.Expectation{verdict.NoFailures()}}
	for _, e := range awayEvents(run.Absences, run.Lanes) {
		a.recorder.Event(e)
	}
	for i, kind := range (timeline.Timeline{}).PhaseMarks() {
		at := []time.Duration{0, 0, 0, time.Since(a.loads)}[i]
		a.recorder.Event(evidence.Event{At: a.loads.Sub(a.began) + at, Kind: kind})
	}
	if err := a.recorder.Finish(run); err != nil {
		a.Fatal(err)
	}
	ev, err := store.Read(a.folder)
	if err != nil {
		a.Fatal(err)
	}
	tl, err := timeline.Join(ev)
	if err != nil {
		a.Fatal(err)
	}
	return ev, tl
}

// An agent that goes on with its spool leaves no contradiction in the evidence, and the verdict reports its absence.
func TestAgentThatWasAway(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a := recordAwayAgent(ctx, t)
	a.leave(ctx)
	left := t.TempDir()
	if err := os.CopyFS(left, os.DirFS(a.spool)); err != nil {
		t.Fatal(err)
	}
	a.behind(serveAgent(t, left))
	a.until(ctx, "its new process was not noticed", func() bool { return a.place.adopted.Load() > 0 })
	doubts := a.stop(ctx)
	absences := a.clients.absences
	if len(doubts) > 0 || len(absences) != len(a.lanes) || absences[0].Why != "its container started again (Error, exit code 137)" {
		t.Fatalf("doubts %+v, absences %+v", doubts, absences)
	}
	if adopted, read := a.place.adopted.Load(), len(a.clients.clocks); adopted != 1 || read != 3 {
		t.Errorf("it left its CPU group %d times, and its clock was read %d times, want once and 3 times", adopted, read)
	}
	ev, tl := a.joined()
	if diff := cmp.Diff([]timeline.Problem(nil), tl.Problems); diff != "" {
		t.Errorf("problems:\n%s", diff)
	}
	for _, lane := range tl.Lanes {
		s := lane.Summary
		intervals := float64(s.Requests - 1)
		least := intervals / (intervals/(0.99*awayRate) + s.Lag.Max.Seconds()) // on a busy machine the last one is sent late
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
}

func TestAgentThatComesBackWithoutItsSpool(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a := recordAwayAgent(ctx, t)
	a.leave(ctx)
	a.behind(serveAgent(t, t.TempDir()))
	doubts := a.stop(ctx)
	if len(doubts) != 1 || doubts[0].ID != evidence.AgentLost || !strings.Contains(doubts[0].Because, "the agent restarted during the run") {
		t.Errorf("doubts %+v", doubts)
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
