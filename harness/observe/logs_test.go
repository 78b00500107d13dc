package observe

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/evidence"
)

func TestLogOfAPodUntilItEnds(t *testing.T) {
	runStories(t, []story{
		{"a pod that lives on is read up to the end of the recording", func(l *simPod) {
			l.plain()
			l.gets(200)
		}, ""},
		{"a pod that never started has no log", func(*simPod) {}, ""},
		{"a pod that drains and exits is read to its end", func(l *simPod) {
			l.plain()
			l.says("sigterm")
			l.says("drain")
			l.gets(2)
			l.says("exit 0")
			l.ends()
			l.status(0, terminated, none)
			l.removed()
		}, ""},
		{"an app that is killed without SIGTERM may have had more to write", func(l *simPod) {
			l.startsUnwarned()
			l.gets(5)
			l.ends()
			l.status(0, terminated, none)
		}, "log of p: the container was killed without SIGTERM, so lines not written yet are lost"},
		{"an app that is killed before its process began had nothing to write", func(l *simPod) {
			l.kubelet.change(func() { l.kubelet.runs = append(l.kubelet.runs, &run{ended: true}) })
			l.status(0, terminated, none)
		}, ""},
		{"a run that could not begin has no log, and the log of the next run is not taken for it", func(l *simPod) {
			l.inject(fault{status: 400})
			l.status(0, waiting, startError)
			l.starts()
			l.gets(5)
			l.status(1, running, startError)
			l.seen()
			l.status(1, terminated, startError)
			l.ends()
			l.removed()
		}, ""},
		{"a run that is killed without SIGTERM may have had more to write, and the next run is read all the same", func(l *simPod) {
			l.startsUnwarned()
			l.gets(5)
			l.status(0, running, none)
			l.seen()
			l.ends()
			l.status(0, waiting, terminated)
			l.starts()
			l.gets(5)
			l.status(1, running, terminated)
		}, "log of p: the container was killed without SIGTERM, so lines not written yet are lost"},
		{"an app that exits by itself has written everything", func(l *simPod) {
			l.startsUnwarned()
			l.gets(5)
			l.says("exit 1")
			l.ends()
			l.status(0, terminated, none)
		}, ""},
		{"a pod that gets the name of one that has ended has a log of its own", func(l *simPod) {
			l.plain()
			l.gets(3)
			l.says("exit 0")
			l.ends()
			l.status(0, terminated, none)
			l.kubelet.change(func() { l.kubelet.runs = []*run{{text: fmt.Sprintf("T %d start v2\n", l.time())}} })
			if err := l.api.CoreV1().Pods(namespace).Delete(l.Context(), "p", metav1.DeleteOptions{}); err != nil {
				l.Fatal(err)
			}
		}, ""},
		{"a pod whose container has ended stays in the API", func(l *simPod) {
			l.plain()
			l.gets(3)
			l.ends()
			l.status(0, terminated, none)
		}, ""},
		{"a pod that is removed at once serves on for a moment", func(l *simPod) {
			l.plain()
			l.removed()
			l.gets(3)
			l.ends()
		}, ""},
		{"a container that started before the watch could see it is read from its start", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.ends()
			l.status(0, terminated, none)
		}, ""},
		{"a container that crashed waits for its next run", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.ends()
			l.status(0, waiting, terminated)
		}, ""},
	})
}

func TestLogWhoseConnectionBreaks(t *testing.T) {
	runStories(t, []story{
		{"a connection that breaks inside a line is resumed there", func(l *simPod) {
			l.inject(fault{after: 100, then: resets}, fault{after: 130, then: resets})
			l.plain()
			l.gets(5)
		}, ""},
		{"an API server that loses the kubelet ends the log inside a line", func(l *simPod) {
			l.inject(fault{after: 100, then: closes}, fault{after: 130, then: closes})
			l.plain()
			l.gets(5)
		}, ""},
		{"an API server that is away for a while", func(l *simPod) {
			l.inject(fault{status: 500}, fault{status: 503}, fault{status: 400})
			l.plain()
		}, ""},
		{"a kubelet that has just begun may not know the pod yet", func(l *simPod) {
			l.inject(fault{after: 100, then: resets}, fault{status: 404})
			l.plain()
		}, ""},
		{"a stream that falls silent misses nothing", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.inject(fault{after: len(l.current().text), then: stalls})
			l.status(0, running, none)
			l.seen()
			l.gets(5)
		}, ""},
		{"a node without inotify watches is read again and again", func(l *simPod) {
			full := fault{remark: "failed to create fsnotify watcher: too many open files"}
			l.inject(full, full, full)
			l.plain()
			l.gets(5)
			l.seen()
		}, ""},
	})
}

func TestLogsOfAContainerThatRestarts(t *testing.T) {
	runStories(t, []story{
		{"a container that restarts has a log for each run", func(l *simPod) {
			l.plain()
			l.ends()
			l.status(0, waiting, terminated)
			l.starts()
			l.gets(5)
			l.status(1, running, terminated)
		}, ""},
		{"a restart while the connection was broken leaves the log before", func(l *simPod) {
			l.starts()
			l.gets(4)
			l.inject(fault{after: len(l.current().text), then: resets}, fault{status: 500})
			l.gets(1)
			l.status(0, running, none)
			l.asked(1)
			l.ends()
			l.starts()
			l.gets(5)
			l.status(1, running, terminated)
		}, ""},
		{"two restarts while the connection was broken lose the log between them", func(l *simPod) {
			l.starts()
			l.gets(4)
			l.inject(fault{after: len(l.current().text), then: resets}, fault{status: 500})
			l.gets(1)
			l.status(0, running, none)
			l.asked(1)
			l.ends()
			l.starts()
			l.ends()
			l.starts()
			l.status(2, running, terminated)
		}, "log of p: the container started again before the log of its last run was read"},
		{"a log that is returned again as the log of the run before is not read twice", func(l *simPod) {
			l.starts()
			l.ends()
			l.starts()
			l.gets(5)
			all := fault{after: len(l.current().text), then: closes}
			l.inject(all, all)
			l.status(0, terminated, none)
			l.seen()
			l.asked(2)
			l.status(1, running, terminated)
		}, "log of p: the container started again before the log of its last run was read"},
	})
}

func TestLogOfWhichAPartIsMissing(t *testing.T) {
	runStories(t, []story{
		{"a log that was rotated while it was followed, with the last line read still in it", func(l *simPod) {
			l.plain()
			l.kubelet.change(func() { l.current().rotated = len(l.current().text) })
			l.gets(5)
			l.seen()
		}, ""},
		{"a log that was rotated while the connection was broken", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.inject(fault{after: len(l.current().text), then: closes}, fault{status: 500})
			l.status(0, running, none)
			l.seen()
			l.gets(5)
			l.kubelet.change(func() { l.current().rotated = len(l.current().text) })
			l.gets(5)
		}, "log of p: a part of it is missing: it was rotated"},
		{"a log that was rotated before it was opened", func(l *simPod) {
			l.starts()
			l.kubelet.change(func() { l.current().rotated = len(l.current().text) })
			l.gets(5)
			l.status(0, running, none)
		}, "log of p: a part of it is missing: it was rotated"},
		{"a pod that is gone before its log was opened", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.inject(fault{status: 500})
			l.status(0, running, none)
			l.asked(1)
			l.removed()
		}, `log of p: an error on the server`},
		{"a pod that is gone while the connection was broken", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.inject(fault{after: 100, then: resets})
			l.status(0, running, none)
			l.asked(1)
			l.removed()
		}, "INTERNAL_ERROR; received from peer: no such log any more"},
		{"a line of another program is noted once, and costs nothing else", func(l *simPod) {
			l.plain()
			l.writes("panic: runtime error\n")
			l.writes("\n")
			l.writes("goroutine 1 [running]:\n")
			l.gets(5)
		}, `log of p: line "panic: runtime error" is neither an arrival nor a step`},
	})
}

func TestLogsTellSteps(t *testing.T) {
	l := newSimPod(t)
	l.startsUnwarned()
	l.says("listen [::]:8080")
	l.writes("A %d - -\n", l.time())
	l.gets(1)
	l.says("sigterm")
	l.says("drain")
	l.says("exit 1")
	l.ends()
	l.status(0, terminated, none)
	stop(t, l.watch)

	by := evidence.Server{Version: "v1", Pod: "p", Node: "worker"}
	step := func(at time.Duration, kind evidence.EventKind, code int) evidence.Event {
		return evidence.Event{At: at, Clock: "worker", Kind: kind, By: by, Count: code}
	}
	want := []evidence.Event{
		step(1, evidence.PodStarted, 0), step(2, evidence.PodListening, 0),
		step(5, evidence.PodSigterm, 0), step(6, evidence.PodDraining, 0), step(7, evidence.PodExited, 1),
	}
	logged := slices.DeleteFunc(l.sink.eventsFrom(0), func(e evidence.Event) bool { return e.Clock == "" })
	if diff := cmp.Diff(want, logged); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]evidence.Arrival{{Lane: "lane", At: 4, By: by}}, l.sink.arrivals); diff != "" {
		t.Error(diff)
	}
}

// A waited context calls a function when somebody begins to wait for its end.
type waited struct {
	context.Context
	begun func()
}

func (w waited) Done() <-chan struct{} {
	w.begun()
	return w.Context.Done()
}

// Stop first waits for arrivals that reach the log late.
func TestALineThatIsWrittenWhenTheWatchStops(t *testing.T) {
	l := newSimPod(t)
	l.plain()
	began := time.Now()
	l.watch.Stop(waited{t.Context(), sync.OnceFunc(func() { l.gets(1) })})
	if took := time.Since(began); took < evidence.LogLag {
		t.Errorf("it stopped after %v, want %v or more", took, evidence.LogLag)
	}
	if got := uint64(len(l.sink.arrivals)); got != l.arrived || l.lost() != "" {
		t.Errorf("%d arrivals, want %d; lost %q", got, l.arrived, l.lost())
	}
}

func TestStopGivesUpWithItsContext(t *testing.T) {
	l := newSimPod(t)
	l.plain()
	l.removed() // but its process runs forever
	ctx, cancel := context.WithTimeoutCause(t.Context(), 2*evidence.LogLag, fmt.Errorf("given up"))
	defer cancel()
	l.watch.Stop(ctx)
	if got, want := l.lost(), "log of p: not read to its end: given up"; got != want {
		t.Errorf("lost %q, want %q", got, want)
	}
}
