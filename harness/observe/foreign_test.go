package observe

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// foreignSuffix is the suffix of the lanes in these tests.
const foreignSuffix = ".K7Q2ZD4XNA"

// garbage are headers of requests that no lane sends: each lane with each number.
func garbage() (all []http.Header) {
	numbers := []string{"0", "7", "", "abc", "-1", "1 2", "9223372036854775808", "18446744073709551615", "18446744073709551616"}
	const known = "worker-fresh" + foreignSuffix // to somebody who has seen a request of ours
	for _, lane := range []string{"worker-fresh", "worker-fresh.AAAAAAAAAA", "x", "two words", "\xff\x80", strings.Repeat("l", 300),
		foreignSuffix, "?", known} {
		for _, number := range numbers {
			if lane != known || number != "0" && number != "7" {
				all = append(all, http.Header{"X-Vegeta-Attack": {lane}, "X-Vegeta-Seq": {number}})
			}
		}
	}
	return all
}

// TestForeignRequestsSpoilNothing sends 10,000 requests with garbage in their headers to a real echo app, between those of two lanes. What
// is recorded is joined and judged as without them.
func TestForeignRequestsSpoilNothing(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "echo")
	if out, err := exec.Command("go", "build", "-o", binary, "../../fixtures/echo").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	alone, none := recordEcho(t, binary, 0)
	among, foreign := recordEcho(t, binary, 50)
	if none != 0 || foreign != 10000 {
		t.Errorf("%d foreign requests of 0, and %d of 10,000", none, foreign)
	}
	exported := gocmp.Exporter(func(reflect.Type) bool { return true })
	if diff := gocmp.Diff(join(t, alone), join(t, among), exported); diff != "" {
		t.Errorf("the timeline differs (-without +with them):\n%.4000s", diff)
	}
	without, with := verdict.Judge(alone.Run, join(t, alone)), verdict.Judge(among.Run, join(t, among))
	if diff := gocmp.Diff(without, with, exported); diff != "" {
		t.Errorf("the verdict differs (-without +with them):\n%s", diff)
	}
	if without.Outcome != verdict.Pass {
		t.Errorf("%s: %s", without.Outcome, without.Because)
	}
}

func join(t *testing.T, ev evidence.Evidence) timeline.Timeline {
	t.Helper()
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// recordEcho records 200 requests on each of two lanes to an echo app, and after each pair so many foreign ones. It returns the evidence,
// with times by number, and how many foreign requests the watch counted.
func recordEcho(t *testing.T, binary string, foreign int) (evidence.Evidence, int) {
	t.Helper()
	const requests = 200
	folder := filepath.Join(t.TempDir(), "run")
	recorder, err := store.Record(folder, evidence.Run{})
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Abort()
	l := newSimPodOf(t, foreignSuffix, atFixedTimes{recorder})
	app := l.runs(binary, "ROLLCALL_VERSION=v1", "ROLLCALL_POD=p", "ROLLCALL_NODE=worker", "ROLLCALL_SERVICE=echo",
		"ROLLCALL_LISTEN=127.0.0.1:0")
	l.status(0, running, none)

	run := evidence.Run{OldVersion: "v1", NewVersion: "v2", Clocks: []evidence.ClockReading{{Node: "worker"}},
		Expect: []evidence.Expectation{verdict.NoFailures(), verdict.NoLostReplies()}}
	var askers []*loadgen.StepClient
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		lane := evidence.Lane{ID: "worker-" + string(conn), Vantage: evidence.FromPod, Node: "worker", Conn: conn, Target: app, Rate: 100}
		client, err := loadgen.NewStepClient(lane, loadgen.Config{Began: l.began, Service: "echo", Timeout: timeout, LaneSuffix: foreignSuffix})
		if err != nil {
			t.Fatal(err)
		}
		defer client.HangUp()
		lane.Target = "http://10.96.0.7/"
		run.Lanes, askers = append(run.Lanes, lane), append(askers, client)
	}
	others, headers := &http.Client{Transport: &http.Transport{}, Timeout: timeout}, garbage()
	defer others.CloseIdleConnections()
	for i := range requests {
		for _, client := range askers {
			h, err := client.Request()
			if err != nil {
				t.Fatal(err)
			}
			recorder.Hits(evidence.Hit{Lane: h.Lane, Seq: h.Seq, Due: at(h.Seq), Sent: at(h.Seq), Took: time.Millisecond, Status: h.Status,
				By: h.By, Reused: h.Reused, Attempts: h.Attempts, Fault: h.Fault})
		}
		for j := range foreign {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = headers[(i*foreign+j)%len(headers)]
			reply, err := others.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			reply.Body.Close()
		}
	}
	l.exits()
	stop(t, l.watch)
	for i, kind := range (timeline.Timeline{}).PhaseMarks() {
		recorder.Event(evidence.Event{At: []time.Duration{0, 0, 0, at(requests)}[i], Kind: kind})
	}
	if err := recorder.Finish(run); err != nil {
		t.Fatal(err)
	}
	ev, err := store.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return ev, l.watch.Foreign()
}

// at returns when the request with a number is due.
func at(seq uint64) time.Duration { return time.Duration(seq+1) * 10 * time.Millisecond }

// atFixedTimes passes arrivals on with times by their number and, of the events, those about what was lost.
type atFixedTimes struct{ Sink }

func (s atFixedTimes) Arrivals(arrivals ...evidence.Arrival) {
	for i := range arrivals {
		arrivals[i].At = at(arrivals[i].Seq) + time.Microsecond
	}
	s.Sink.Arrivals(arrivals...)
}

func (s atFixedTimes) Event(e evidence.Event) {
	if e.Kind == evidence.RecorderLost {
		s.Sink.Event(evidence.Event{Kind: e.Kind, By: e.By, Detail: e.Detail})
	}
}

// runs: the process is a real echo app, which listens when its URL is returned. exits ends it.
func (l *simPod) runs(binary string, env ...string) (url string) {
	l.Helper()
	l.kubelet.change(func() { l.kubelet.runs = append(l.kubelet.runs, &run{}) })
	said := &appOutput{pod: l, listens: make(chan string, 1)}
	cmd := exec.Command(binary)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, said, said
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	end := sync.OnceValue(func() error { return cmp.Or(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()) })
	l.Cleanup(func() { _ = end() })
	l.exits = func() {
		l.Helper()
		var code *exec.ExitError
		if err := end(); !errors.As(err, &code) || code.ExitCode() != 143 {
			l.Fatalf("it ends with %v", err)
		}
		l.ends()
		l.status(0, terminated, none)
	}
	select {
	case address := <-said.listens:
		return "http://" + address + "/"
	case <-time.After(timeout):
		l.Fatal("the app does not listen")
		return ""
	}
}

// An appOutput is the output of a pod's process, which becomes its log.
type appOutput struct {
	pod     *simPod
	listens chan string // its address
}

func (o *appOutput) Write(text []byte) (int, error) {
	o.pod.kubelet.change(func() { o.pod.current().text += string(text) })
	if _, address, listens := bytes.Cut(text, []byte(" listen ")); listens {
		o.listens <- strings.TrimSpace(string(address))
	}
	return len(text), nil
}
