// Package observe records what happens inside the cluster while a scenario runs: events, from watches
// of the API and from the logs of rule observers, and arrivals, from the logs of the app's pods.
//
// A [Watch] has one tracker for each kind of thing, such as pods, endpoints, workloads or nodes: the table in watched.go lists the
// objects of the API; beside them are the pods' logs and the nodes' rules. They share one lock, the journal's, so that a [State] is of
// one moment.
package observe

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// A Sink receives what a Watch notes at once; *store.Recorder is one. Its methods are called from several goroutines:
// Event one at a time, in order, Arrivals in the order of each pod's log, and Flows in the order of each node's. They must not call
// the Watch.
type Sink interface {
	Event(evidence.Event)
	Arrivals(...evidence.Arrival)
	Flows(...evidence.Flow)
}

// A Watch watches one namespace, and notes each change with the time at which it was seen, which is never earlier than the
// change. Its methods are safe for concurrent use.
type Watch struct {
	journal   *journal
	namespace string // of the app
	pods      *podTracker
	endpoints *endpointTracker
	workloads *workloadTracker
	rules     *ruleTracker
	logs      *logTracker // nil: pods' logs are not read
	objects   *Objects    // of the app's namespace; nil without a cluster
	rolled    func(*corev1.Pod) bool

	factories    []informers.SharedInformerFactory
	beating      sync.WaitGroup // for the heartbeat
	stopWatching context.CancelFunc

	reading     context.Context // ends when every log is read, or when Stop gives up
	stopReading context.CancelCauseFunc
	readers     sync.WaitGroup // for the readers of logs
}

// A Scope says what to watch.
type Scope struct {
	Namespace    string
	Service      string // whose endpoints are noted
	VersionLabel string // label of the app's pods with their version
	Existing     *App   // a user's app, in another namespace; nil: the app is in Namespace
	NoLogs       bool   // the app is not Rollcall's: the logs of its pods have no arrivals
	LaneSuffix   string // with which requests name their lane; see loadgen.Config
	// APITimeout is how long the API server may take to answer before the watch counts as blind; 0: 2 s.
	APITimeout time.Duration
}

// Start begins to watch and returns when all existing objects have been seen, or ctx ends. The watch then lasts
// until Stop. Times are offsets from began.
func Start(ctx context.Context, client kubernetes.Interface, scope Scope, began time.Time, sink Sink) (*Watch, error) {
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	reading, stopReading := context.WithCancelCause(context.WithoutCancel(ctx))
	version, namespace := byLabel(scope.VersionLabel), scope.Namespace
	if scope.Existing != nil {
		version, namespace = scope.Existing.version, scope.Existing.Namespace
	}
	w := newWatch(began, sink, version, scope.Service)
	if scope.Existing != nil && scope.Existing.Rolled != nil {
		w.rolled = scope.Existing.Rolled
	}
	w.namespace, w.stopWatching, w.reading, w.stopReading = namespace, stopWatching, reading, stopReading
	if !scope.NoLogs {
		w.logs = &logTracker{journal: w.journal, client: client.CoreV1().Pods(scope.Namespace),
			format: logFormat{began, scope.LaneSuffix}, reading: reading, readers: &w.readers}
		w.pods.created = w.logs.follow
	}
	from := newFactories(client, namespace)
	w.factories, w.objects = from.all(), objectsOf(namespace, from.app, from.cluster)
	var need, may []watched
	for _, k := range w.watched(from) {
		if k.Needed {
			need = append(need, k)
		} else {
			may = append(may, k)
		}
	}
	if scope.Existing != nil { // the load pods are in scope.Namespace: the CPUMeter finds them by their uid
		own := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(scope.Namespace))
		w.factories = append(w.factories, own)
		need = append(need, watched{need[0].Right, own.Core().V1().Pods().Informer, always(on(w.pods.storeUID)), ignore})
	}
	for _, kinds := range [][]watched{need, w.permitted(ctx, client, may)} {
		if err := w.begin(ctx, kinds, watching.Done()); err != nil {
			w.Stop(ctx)
			return nil, err
		}
	}
	beat := heartbeat{w.journal, client.CoreV1().Namespaces(), scope.Namespace, cmp.Or(scope.APITimeout, evidence.APITimeout)}
	w.beating.Go(func() { beat.run(watching) })
	return w, nil
}

// newWatch returns a Watch that does not watch or read anything yet.
func newWatch(began time.Time, sink Sink, version versions, service string) *Watch {
	j := newJournal(began, sink)
	w := &Watch{journal: j, workloads: newWorkloadTracker(j, version), pods: newPodTracker(j, version), rules: newRuleTracker(j),
		rolled: func(*corev1.Pod) bool { return true }}
	w.pods.addressed, w.pods.unused = w.rules.resolve, w.rules.leave
	w.endpoints = newEndpointTracker(j, w.pods, service)
	return w
}

// None returns a Watch without a cluster, which notes only what Note and Mark get.
func None(began time.Time, sink Sink) *Watch {
	w := newWatch(began, sink, byLabel(""), "")
	w.stopWatching, w.reading, w.stopReading = func() {}, context.Background(), func(error) {}
	return w
}

// Note notes an event that happens now.
func (w *Watch) Note(e evidence.Event) {
	w.journal.change(func() { w.journal.note(e) })
}

// Mark notes that the scenario reaches a mark now.
func (w *Watch) Mark(kind evidence.EventKind) { w.Note(evidence.Event{Kind: kind}) }

// Until waits until the condition holds for what has been seen, or returns ctx's cause. The condition is checked at once and after
// changes, once for changes that come together.
func (w *Watch) Until(ctx context.Context, holds func(State) bool) error {
	return until(ctx, w.journal, w.state, holds)
}

// Objects returns the objects of the app's namespace, and the nodes, as last seen; nil without a cluster.
func (w *Watch) Objects() *Objects { return w.objects }

// Commonest returns the most frequent version of the scope's pods that may be rolled out and are not terminating; empty if there are none.
func (w *Watch) Commonest() string {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	var versions []string
	for _, p := range w.pods.byName {
		if !p.deleting && w.rolled(w.pods.samples[p.server.Version]) {
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

// PodOf returns the pod of the scope with a uid, if it has been seen.
func (w *Watch) PodOf(uid string) (evidence.Server, bool) {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	server, seen := w.pods.byUID[uid]
	return server, seen
}

// Foreign returns how many requests to the app, so far, named a lane or a number that is none of the recording.
func (w *Watch) Foreign() int {
	if w.logs == nil {
		return 0
	}
	return int(w.logs.foreign.Load())
}

// FollowRules reads and notes the output of the observer of a node's rules until it ends. The caller must end the observer
// before Stop, which waits for its last line.
func (w *Watch) FollowRules(node string, observers typedcorev1.PodInterface, pod string) {
	reader := w.rules.reader(node, observers)
	w.readers.Go(func() { reader.run(w.reading, pod) })
}

// Stop ends the watch after the sink has every line written before: the log of a pod that is still in the API is
// read up to now, that of a pod that is gone to its end. If ctx ends first, logs that are not whole are noted as RecorderLost.
// Stop is called once.
func (w *Watch) Stop(ctx context.Context) {
	poll.Pause(ctx, evidence.LogLag)
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

// ErrNeverSettled is the cause when a scenario's own time limit ends a wait.
var ErrNeverSettled = errors.New("the rollout did not settle in time")
