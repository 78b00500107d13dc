// Package observe records what happens inside the cluster while a scenario runs: events, from watches
// of the API and from the logs of rule observers, and arrivals, from the logs of the app's pods.
//
// A [Watch] wires one tracker for each kind of thing: pods, endpoints, workloads, nodes, Events of the
// API, the pods' logs and the nodes' rules. What they have seen is under one lock, the journal's, so
// that a [State] is of one moment.
package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// A Sink takes what a Watch notes, as it is noted; *store.Recorder is one. Its methods are called from several goroutines:
// Event one at a time, in order, Arrivals in the order of each pod's log, and Flows in that of each node's. They must not call the
// Watch.
type Sink interface {
	Event(evidence.Event)
	Arrivals(...evidence.Arrival)
	Flows(...evidence.Flow)
}

// A Watch sees one namespace, and notes each change with the time at which it was seen, which is never earlier than the
// change. Its methods are safe for concurrent use.
type Watch struct {
	journal   *journal
	pods      *podTracker
	endpoints *endpointTracker
	workloads *workloadTracker
	rules     *ruleTracker
	logs      *logTracker // nil: no pod's log is read

	factories    []informers.SharedInformerFactory
	beating      sync.WaitGroup // the heartbeat
	stopWatching context.CancelFunc

	reading     context.Context // ends when every log is read, or when Stop gives up
	stopReading context.CancelCauseFunc
	readers     sync.WaitGroup // of logs
}

// A Scope says what a Watch sees.
type Scope struct {
	Namespace    string
	Service      string // whose endpoints count
	VersionLabel string // of the app's pods, which holds their version
	Elsewhere    *App   // the app, where it is not in the namespace
	NoLogs       bool   // the app is not Rollcall's: the logs of its pods have no arrivals
	// APITimeout is for how long the API server may not answer before the watch counts as blind; 0: 2 s.
	APITimeout time.Duration
}

// Start begins to watch and returns when everything in the scope has been seen, or ctx ends. From then on the watch lasts
// until Stop. Times are offsets from began.
func Start(ctx context.Context, client kubernetes.Interface, scope Scope, began time.Time, sink Sink) (*Watch, error) {
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	reading, stopReading := context.WithCancelCause(context.WithoutCancel(ctx))
	version, namespace := byLabel(scope.VersionLabel), scope.Namespace
	if scope.Elsewhere != nil {
		version, namespace = scope.Elsewhere.version, scope.Elsewhere.Namespace
	}
	w := newWatch(began, sink, version, scope.Service)
	w.stopWatching, w.reading, w.stopReading = stopWatching, reading, stopReading
	if !scope.NoLogs {
		w.logs = &logTracker{journal: w.journal, client: client.CoreV1().Pods(scope.Namespace), reading: reading, readers: &w.readers}
		w.pods.created = w.logs.follow
	}
	namespaced := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	cluster := informers.NewSharedInformerFactory(client, 0)
	w.factories = []informers.SharedInformerFactory{namespaced, cluster}
	handlers := w.handlers(namespaced, cluster)
	if scope.Elsewhere != nil { // the load pods are there: whoever waits for a processor is known by its pod's UID
		own := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(scope.Namespace))
		w.factories = append(w.factories, own)
		handlers = append(handlers, handler{own.Core().V1().Pods().Informer(), on(w.pods.know), ignore})
	}
	for _, h := range handlers {
		if err := h.register(w.journal.broke); err != nil {
			stopWatching()
			stopReading(nil)
			return nil, err
		}
	}
	for _, factory := range w.factories {
		factory.Start(watching.Done())
	}
	for _, factory := range w.factories {
		for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
			if !synced {
				w.Stop(ctx)
				return nil, fmt.Errorf("observe: list %v: %w", kind, context.Cause(ctx))
			}
		}
	}
	beat := heartbeat{w.journal, client.CoreV1().Namespaces(), scope.Namespace, cmp.Or(scope.APITimeout, defaultAPITimeout)}
	w.beating.Go(func() { beat.run(watching) })
	return w, nil
}

// newWatch is one that watches and reads nothing yet.
func newWatch(began time.Time, sink Sink, version versions, service string) *Watch {
	j := newJournal(began, sink)
	w := &Watch{journal: j, workloads: newWorkloadTracker(j, version), pods: newPodTracker(j, version), rules: newRuleTracker(j)}
	w.pods.addressed = w.rules.resolve
	w.endpoints = newEndpointTracker(j, w.pods, service)
	return w
}

// None is a Watch of no cluster, which notes what it is told until Stop.
func None(began time.Time, sink Sink) *Watch {
	w := newWatch(began, sink, byLabel(""), "")
	w.stopWatching, w.reading, w.stopReading = func() {}, context.Background(), func(error) {}
	return w
}

// Note notes an event of now.
func (w *Watch) Note(e evidence.Event) {
	w.journal.change(func() { w.journal.note(e) })
}

// Mark notes a step of the scenario itself, now.
func (w *Watch) Mark(kind evidence.EventKind) { w.Note(evidence.Event{Kind: kind}) }

// Until returns when the condition holds for what has been seen, or with ctx's cause. It is asked again after changes, once
// for those that come together.
func (w *Watch) Until(ctx context.Context, holds func(State) bool) error {
	return until(ctx, w.journal, w.state, holds)
}

// Commonest is the version that most pods of the scope have that are not on their way out; empty if there are none.
func (w *Watch) Commonest() string {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	var versions []string
	for _, p := range w.pods.byName {
		if !p.deleting {
			versions = append(versions, p.server.Version)
		}
	}
	return Commonest(versions)
}

// Knows reports whether a pod of the scope has been seen, by name.
func (w *Watch) Knows(pod string) bool {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	return w.pods.byName[pod] != nil
}

// PodOf is the pod of the scope with a uid, if it has been seen.
func (w *Watch) PodOf(uid string) (evidence.Server, bool) {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	server, seen := w.pods.byUID[uid]
	return server, seen
}

// FollowRules notes what the observer of a node's rules writes, from now until it ends. Whoever started the observer ends it
// before Stop, which waits for its last line.
func (w *Watch) FollowRules(node string, observers typedcorev1.PodInterface, pod string) {
	reader := w.rules.reader(node, observers)
	w.readers.Go(func() { reader.run(w.reading, pod) })
}

// logLag is how long an arrival may be on its way to where the app's log can be read: 500 ms in the app itself
// (fixtures/echo, batchTime), and an estimate for the container runtime, far above what it takes.
const logLag = 900 * time.Millisecond

// Stop ends the watch when every line that was written before is with the sink: the log of a pod that is still in the API is
// read up to now, that of one that is gone to its end. When ctx ends first, what is not whole is noted as RecorderLost.
// Stop is called once.
func (w *Watch) Stop(ctx context.Context) {
	poll.Pause(ctx, logLag)
	w.stopWatching()
	w.beating.Wait()
	for _, factory := range w.factories {
		factory.Shutdown()
	}
	w.journal.mu.Lock()
	for _, p := range w.pods.byName {
		if p.stopFollowing != nil {
			p.stopFollowing()
		}
	}
	w.journal.mu.Unlock()
	defer context.AfterFunc(ctx, func() { w.stopReading(context.Cause(ctx)) })()
	w.readers.Wait()
	w.stopReading(nil)
}

// ErrNeverSettled is the cause of a wait that the scenario's own time limit ended.
var ErrNeverSettled = errors.New("the rollout did not settle in time")
