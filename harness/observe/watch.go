// Package observe records what happens inside the cluster while a scenario runs: the cluster's tape,
// from watches of the API, and the servers' tape, from the logs of the app's pods.
package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"

	"rollcall/harness/evidence"
)

// A Sink takes what a Watch notes, as it is noted; *store.Recorder is one. Its methods are called
// from several goroutines: Event in the order noted, one at a time, and Arrivals in the order of each
// pod's log. It must not call the Watch.
type Sink interface {
	Event(evidence.Event)
	Arrivals(...evidence.Arrival)
}

// A Watch sees one namespace through client-go informers, notes each change with the moment it was
// seen, which is never earlier than the change, and follows the log of every app pod. All its methods
// are safe for concurrent use.
type Watch struct {
	began        time.Time
	versionLabel string
	service      string
	mute         bool          // no pod's log is followed
	patience     time.Duration // with the API server
	sink         Sink
	factories    []informers.SharedInformerFactory
	watching     sync.WaitGroup // the heartbeat
	endWatching  context.CancelFunc
	core         typedcorev1.CoreV1Interface
	client       typedcorev1.PodInterface // reads logs

	reading    context.Context // lasts until every log is read, or Stop loses patience
	endReading context.CancelCauseFunc
	followers  sync.WaitGroup // one per pod; informers add to it

	mu         sync.Mutex
	pods       map[string]*pod            // by name
	slices     map[string]map[string]bool // slice name -> pod name -> ready
	endpoints  map[string]bool            // pod name -> ready, over all slices
	workloads  map[string]*appsv1.Deployment
	sets       map[string]*appsv1.StatefulSet
	scaled     map[string]int32           // ReplicaSet name -> spec.replicas last seen
	addresses  map[string]evidence.Server // IP address -> pod that had it last
	unrouted   []routing                  // rules for addresses of no known pod
	routes     map[string]map[string]bool // node -> addresses that its rules lead to
	observed   map[string]string          // nodes whose rules are followed -> mode of their kube-proxy
	proxyless  map[string]string          // nodes without a kube-proxy -> how that was seen
	unobserved map[string]error           // nodes whose rules no longer are, and why
	nodes      map[string]bool            // node name -> ready
	reports    map[string]int32           // API Event name -> count last seen
	changed    chan struct{}              // closed and replaced at every change
}

// A Scope says what a Watch sees.
type Scope struct {
	Namespace    string
	Service      string // whose endpoints count
	VersionLabel string // of the app's pods, which holds their version
	Mute         bool   // the app is not ours, and the logs of its pods tell us nothing
	// Patience is for how long the API server may not answer before the watch counts as blind; 0: 2 s.
	Patience time.Duration
}

// Start begins to watch and returns when everything in the scope has been seen, or ctx ends; from then on the watch lasts
// until Stop. Times are offsets from began.
func Start(ctx context.Context, client kubernetes.Interface, scope Scope, began time.Time, sink Sink) (*Watch, error) {
	namespace := scope.Namespace
	watching, endWatching := context.WithCancel(context.WithoutCancel(ctx))
	reading, endReading := context.WithCancelCause(context.WithoutCancel(ctx))
	w := &Watch{
		began: began, versionLabel: scope.VersionLabel, service: scope.Service, mute: scope.Mute,
		patience: cmp.Or(scope.Patience, beatPatience), sink: sink,
		endWatching: endWatching, core: client.CoreV1(), client: client.CoreV1().Pods(namespace), reading: reading, endReading: endReading,
		pods: map[string]*pod{}, slices: map[string]map[string]bool{}, endpoints: map[string]bool{},
		workloads: map[string]*appsv1.Deployment{}, sets: map[string]*appsv1.StatefulSet{}, routes: map[string]map[string]bool{}, scaled: map[string]int32{},
		addresses: map[string]evidence.Server{}, observed: map[string]string{}, proxyless: map[string]string{}, unobserved: map[string]error{},
		nodes: map[string]bool{}, reports: map[string]int32{}, changed: make(chan struct{}),
	}
	ours, everywhere := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace)), informers.NewSharedInformerFactory(client, 0)
	w.factories = []informers.SharedInformerFactory{ours, everywhere}
	for _, informer := range []struct {
		of     cache.SharedIndexInformer
		upsert func(any)
		remove func(any)
	}{
		{ours.Core().V1().Pods().Informer(), on(w.seePod), on(w.losePod)},
		{ours.Discovery().V1().EndpointSlices().Informer(), on(w.seeSlice), on(w.loseSlice)},
		{ours.Apps().V1().ReplicaSets().Informer(), on(w.seeReplicaSet), on(func(*appsv1.ReplicaSet) {})},
		{ours.Apps().V1().Deployments().Informer(), on(w.seeDeployment), on(w.loseDeployment)},
		{ours.Apps().V1().StatefulSets().Informer(), on(w.seeStatefulSet), on(w.loseStatefulSet)},
		{ours.Core().V1().Events().Informer(), on(w.seeReport), on(func(*corev1.Event) {})},
		{everywhere.Core().V1().Nodes().Informer(), on(w.seeNode), on(w.loseNode)},
	} {
		// The informer lists again by itself; that it was blind in between must not be silent.
		err := informer.of.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { w.gap("%v", err) })
		if err == nil {
			_, err = informer.of.AddEventHandler(cache.ResourceEventHandlerFuncs{
				AddFunc: informer.upsert, UpdateFunc: func(_, now any) { informer.upsert(now) }, DeleteFunc: informer.remove,
			})
		}
		if err != nil {
			endWatching()
			endReading(nil)
			return nil, fmt.Errorf("observe: %w", err)
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
	w.watching.Go(func() { w.heartbeat(watching, namespace) })
	return w, nil
}

// on makes an informer's handler from one that knows the type, whichever way the object arrives.
func on[T any](handle func(T)) func(any) {
	return func(object any) {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		if typed, ok := object.(T); ok {
			handle(typed)
		}
	}
}

// Note notes an event of now.
func (w *Watch) Note(e evidence.Event) {
	w.locked(func() { w.note(e) })
}

// Mark notes a step of the scenario itself, now.
func (w *Watch) Mark(kind evidence.EventKind) { w.Note(evidence.Event{Kind: kind}) }

// Until returns when the condition holds for what has been seen; it is asked again after changes, those that come together at once.
func (w *Watch) Until(ctx context.Context, holds func(State) bool) error {
	for {
		w.mu.Lock()
		state, changed := w.state(), w.changed
		w.mu.Unlock()
		if holds(state) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// logLag is how long an arrival may be on its way to where the app's log can be read: 500 ms in the app itself
// (fixtures/echo, batchTime), and our own guess for the container runtime, far above what it takes.
const logLag = 900 * time.Millisecond

// Stop ends the watch when every line that was written before Stop is with the sink: of a pod that is
// still in the API the log is read up to now, of one that is gone to its end. When ctx ends first, what
// is not whole is noted as RecorderLost. Stop is called once.
func (w *Watch) Stop(ctx context.Context) {
	select {
	case <-time.After(logLag):
	case <-ctx.Done():
	}
	w.endWatching()
	w.watching.Wait()
	for _, factory := range w.factories {
		factory.Shutdown()
	}
	w.mu.Lock()
	for _, p := range w.pods {
		if !w.mute {
			p.endFollowing()
		}
	}
	w.mu.Unlock()
	defer context.AfterFunc(ctx, func() { w.endReading(context.Cause(ctx)) })()
	w.followers.Wait()
	w.endReading(nil)
}

// ErrNeverSettled is the cause of a wait that a scenario's patience ended.
var ErrNeverSettled = errors.New("the rollout did not settle in time")

// locked runs change under the lock and wakes everybody who waits for one.
func (w *Watch) locked(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	close(w.changed)
	w.changed = make(chan struct{})
}

// note hands on an event of now; the caller holds the lock, so the tape is in order.
func (w *Watch) note(e evidence.Event) {
	e.At = time.Since(w.began)
	w.sink.Event(e)
}
