package observe

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/evidence"
)

// A simPod simulates a pod: its process, its log endpoint and its object in the API, independently of each other.
type simPod struct {
	*testing.T
	began   time.Time
	api     *fake.Clientset
	kubelet *kubelet
	sink    *memorySink
	watch   *Watch
	lines   int    // lines written so far; each gets its own time
	arrived uint64 // requests that the process got
	exits   func() // the process, which is a real one, ends
}

func newSimPod(t *testing.T) *simPod {
	t.Helper()
	sink := newMemorySink()
	l := newSimPodOf(t, "", sink)
	l.sink = sink
	return l
}

// newSimPodOf simulates a pod of a recording whose lanes have a suffix.
func newSimPodOf(t *testing.T, laneSuffix string, sink Sink) *simPod {
	t.Helper()
	l := &simPod{T: t, began: time.Now(), api: permitting(), kubelet: &kubelet{changed: make(chan struct{})}}
	scope := Scope{Namespace: namespace, Service: "echo", VersionLabel: version, LaneSuffix: laneSuffix}
	var err error
	l.watch, err = Start(t.Context(), client{l.api, l.kubelet.serve(t)}, scope, l.began, sink)
	if err != nil {
		t.Fatal(err)
	}
	l.Cleanup(func() {
		if t.Failed() { // perhaps before it was stopped, and closing the server would wait for it
			stop(t, l.watch)
		}
	})
	p := somePod("p", corev1.ConditionFalse)
	p.Spec.Containers = []corev1.Container{{Name: "echo"}, {Name: "sidecar"}}
	if _, err := l.api.CoreV1().Pods(namespace).Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return l
}

// starts: the process begins, for the n-th time, and gets SIGTERM at once.
func (l *simPod) starts() {
	l.startsUnwarned()
	l.says("sigterm")
}

// startsUnwarned: the same without SIGTERM.
func (l *simPod) startsUnwarned() {
	l.kubelet.change(func() { l.kubelet.runs = append(l.kubelet.runs, &run{}) })
	l.says("start v1")
}

// says: the process writes a step.
func (l *simPod) says(step string) { l.writes("T %d "+step+"\n", l.time()) }

// gets: the process gets n requests.
func (l *simPod) gets(n int) {
	for range n {
		l.writes("A %d lane %d\n", l.time(), l.arrived)
		l.arrived++
	}
}

func (l *simPod) time() int64 {
	l.lines++
	return l.began.UnixNano() + int64(l.lines)
}

func (l *simPod) writes(format string, values ...any) {
	l.kubelet.change(func() { l.current().text += fmt.Sprintf(format, values...) })
}

// ends: the process ends.
func (l *simPod) ends() { l.kubelet.change(func() { l.current().ended = true }) }

func (l *simPod) current() *run { return l.kubelet.runs[len(l.kubelet.runs)-1] }

// breaks: the next answers of the log endpoint have these faults.
func (l *simPod) inject(faults ...fault) { l.kubelet.change(func() { l.kubelet.faults = faults }) }

// forgets: the same, and afterwards the log endpoint does not know the pod for longer than any test takes.
func (l *simPod) forgets(faults ...fault) {
	l.inject(append(faults, slices.Repeat([]fault{{status: http.StatusNotFound}}, 100)...)...)
}

// status: the API shows how often the container restarted and its state, and the watch has seen it.
func (l *simPod) status(restarts int32, state corev1.ContainerState, last corev1.ContainerState) {
	l.Helper()
	pods := l.api.CoreV1().Pods(namespace)
	p, err := pods.Get(l.Context(), "p", metav1.GetOptions{})
	if err != nil {
		l.Fatal(err)
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "sidecar", State: waiting}, {Name: "echo", RestartCount: restarts, State: state, LastTerminationState: last},
	}
	if _, err := pods.UpdateStatus(l.Context(), p, metav1.UpdateOptions{}); err != nil {
		l.Fatal(err)
	}
	var want pod
	want.updateRuns(p)
	ctx, cancel := context.WithTimeout(l.Context(), timeout)
	defer cancel()
	err = l.watch.journal.wait(ctx, func() bool {
		seen := l.watch.pods.byName["p"]
		return seen != nil && seen.runs == want.runs && seen.ended == want.ended
	})
	if err != nil {
		l.Fatalf("the status was not seen within %v", timeout)
	}
}

var (
	none       = corev1.ContainerState{}
	waiting    = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}
	running    = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	terminated = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	startError = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "StartError"}}
)

// removed: the pod leaves the API.
func (l *simPod) removed() {
	l.Helper()
	l.kubelet.change(func() { l.kubelet.gone = true })
	if err := l.api.CoreV1().Pods(namespace).Delete(l.Context(), "p", metav1.DeleteOptions{}); err != nil {
		l.Fatal(err)
	}
	l.shows(evidence.PodGone)
}

// shows: an event of the kind is in the sink.
func (l *simPod) shows(kind evidence.EventKind) {
	l.Helper()
	l.sink.until(l.T, string(kind), func() bool {
		return slices.ContainsFunc(l.sink.events, func(e evidence.Event) bool { return e.Kind == kind })
	})
}

// seen: all requests to the process are in the sink.
func (l *simPod) seen() {
	l.Helper()
	l.sink.until(l.T, "arrivals", func() bool { return uint64(len(l.sink.arrivals)) >= l.arrived })
}

// asked: the log endpoint has answered n requests.
func (l *simPod) asked(n int) {
	l.Helper()
	late := time.After(timeout)
	for {
		l.kubelet.mu.Lock()
		asked, changed := len(l.kubelet.asked), l.kubelet.changed
		l.kubelet.mu.Unlock()
		if asked >= n {
			return
		}
		select {
		case <-changed:
		case <-late:
			l.Fatalf("the log endpoint was asked %d times within %v, want %d", asked, timeout, n)
		}
	}
}

// lost returns the details of RecorderLost events in the sink; the caller holds its lock.
func (l *simPod) lost() string {
	var details []string
	for _, e := range l.sink.events {
		if e.Kind == evidence.RecorderLost {
			details = append(details, e.Detail)
		}
	}
	return strings.Join(details, "; ")
}

// plain: the process starts and gets five requests that are seen, and the API shows that it runs.
func (l *simPod) plain() {
	l.Helper()
	l.starts()
	l.gets(5)
	l.status(0, running, none)
	l.seen()
}

// A story is what happens to a pod.
type story struct {
	sentence string
	live     func(*simPod)
	lost     string // expected detail of RecorderLost; empty: nothing is lost
}

// runStories runs each story, and checks that the sink has every arrival or an event about what is lost.
func runStories(t *testing.T, stories []story) {
	t.Helper()
	for _, tc := range stories {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			l := newSimPod(t)
			tc.live(l)
			stop(t, l.watch)
			l.sink.mu.Lock()
			defer l.sink.mu.Unlock()
			if got := l.lost(); (got == "") != (tc.lost == "") || !strings.Contains(got, tc.lost) || strings.Contains(got, "; log of") {
				t.Errorf("lost %q, want %q", got, tc.lost)
			}
			var got, want []uint64
			for i, a := range l.sink.arrivals {
				got, want = append(got, a.Seq), append(want, uint64(i))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("arrivals repeat or leave out: %s", diff)
			}
			if tc.lost == "" && uint64(len(got)) != l.arrived {
				t.Errorf("%d arrivals, want %d", len(got), l.arrived)
			}
		})
	}
}
