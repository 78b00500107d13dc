package observe

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
)

// A logTracker starts a reader of the log of every app pod: it has the arrivals and the steps of the app's process.
type logTracker struct {
	*journal
	client  typedcorev1.PodInterface
	format  logFormat
	reading context.Context // when it ends, nothing more is read
	readers *sync.WaitGroup
	foreign atomic.Int64 // requests that others than the recording's lanes sent
}

// follow starts to read a pod's log; the caller holds the lock. Runs that ended before the pod was first seen are not read.
func (t *logTracker) follow(p *pod) {
	live, stop := context.WithCancel(t.reading)
	p.stopFollowing = stop
	r := &logReader{tracker: t, pod: p}
	r.containerLog = containerLog{client: t.client, line: r.readLine, flush: r.flushArrivals, ofAnotherRun: r.ofAnotherRun}
	first := max(0, p.runs-1)
	t.readers.Go(func() {
		defer stop()
		if err := r.readAll(live, first); err != nil {
			t.lost(p, err)
		}
	})
}

// lost notes that a part of a pod's log was not recorded.
func (t *logTracker) lost(p *pod, why error) {
	t.change(func() {
		t.note(evidence.Event{Kind: evidence.RecorderLost, By: p.server, Detail: fmt.Sprintf("log of %s: %v", p.server.Pod, why)})
	})
}
