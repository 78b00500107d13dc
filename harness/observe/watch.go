// Package observe records what the cluster does while a scenario runs: the cluster's tape.
package observe

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"rollcall/harness/evidence"
)

// A Watch sees one namespace through client-go informers and notes each change with the moment it
// was seen, which is never earlier than the change. All its methods are safe for concurrent use.
type Watch struct {
	began        time.Time
	versionLabel string
	service      string
	cancel       context.CancelFunc
	factory      informers.SharedInformerFactory

	mu        sync.Mutex
	events    []evidence.Event
	pods      map[string]*pod            // by name
	slices    map[string]map[string]bool // slice name -> pod name -> ready
	endpoints map[string]bool            // pod name -> ready, over all slices
	workloads map[string]*appsv1.Deployment
	scaled    map[string]int32 // ReplicaSet name -> spec.replicas last seen
	changed   chan struct{}    // closed and replaced at every change
}

type pod struct {
	by       evidence.Server
	ready    bool
	deleting bool
}

// A State is what a Watch last saw; rollout strategies judge it.
type State struct {
	Deployments map[string]*appsv1.Deployment // by name
	Pods        []PodState
}

// A PodState is one pod object that is in the API now.
type PodState struct {
	evidence.Server
	Ready bool
}

// Start begins to watch a namespace and returns when everything in it has been seen, or ctx ends;
// from then on the watch lasts until Stop. versionLabel
// is the pod label that holds the app's version; service is the Service whose endpoints count.
// Event times are offsets from began.
func Start(ctx context.Context, client kubernetes.Interface, namespace, service, versionLabel string, began time.Time) (*Watch, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &Watch{
		began: began, versionLabel: versionLabel, service: service, cancel: cancel,
		factory: informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace)),
		pods:    map[string]*pod{}, slices: map[string]map[string]bool{}, endpoints: map[string]bool{},
		workloads: map[string]*appsv1.Deployment{}, scaled: map[string]int32{}, changed: make(chan struct{}),
	}
	for _, informer := range []struct {
		of     cache.SharedIndexInformer
		upsert func(any)
		remove func(any)
	}{
		{w.factory.Core().V1().Pods().Informer(), on(w.seePod), on(w.losePod)},
		{w.factory.Discovery().V1().EndpointSlices().Informer(), on(w.seeSlice), on(w.loseSlice)},
		{w.factory.Apps().V1().ReplicaSets().Informer(), on(w.seeReplicaSet), on(func(*appsv1.ReplicaSet) {})},
		{w.factory.Apps().V1().Deployments().Informer(), on(w.seeDeployment), on(w.loseDeployment)},
	} {
		// The informer lists again by itself; that it was blind in between must not be silent.
		err := informer.of.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
			w.locked(func() { w.note(evidence.Event{Kind: evidence.WatchGap, Detail: err.Error()}) })
		})
		if err == nil {
			_, err = informer.of.AddEventHandler(cache.ResourceEventHandlerFuncs{
				AddFunc: informer.upsert, UpdateFunc: func(_, now any) { informer.upsert(now) }, DeleteFunc: informer.remove,
			})
		}
		if err != nil {
			cancel()
			return nil, fmt.Errorf("observe: %w", err)
		}
	}
	w.factory.Start(life.Done())
	for kind, synced := range w.factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			w.Stop()
			return nil, fmt.Errorf("observe: list %v: %w", kind, context.Cause(ctx))
		}
	}
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

// Mark notes a step of the scenario itself, now.
func (w *Watch) Mark(kind evidence.EventKind) {
	w.locked(func() { w.note(evidence.Event{Kind: kind}) })
}

// Until returns when the condition holds for what has been seen; it is asked at every change.
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

// Stop ends the watch and returns everything it noted, in the order seen.
func (w *Watch) Stop() []evidence.Event {
	w.cancel()
	w.factory.Shutdown()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events
}

// ErrNeverSettled is the cause of a wait that a scenario's patience ended.
var ErrNeverSettled = errors.New("the rollout did not settle in time")

func (w *Watch) state() State {
	s := State{Deployments: map[string]*appsv1.Deployment{}}
	for name, d := range w.workloads {
		s.Deployments[name] = d
	}
	for _, p := range w.pods {
		s.Pods = append(s.Pods, PodState{p.by, p.ready})
	}
	return s
}

// locked runs change under the lock and wakes everybody who waits for one.
func (w *Watch) locked(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	close(w.changed)
	w.changed = make(chan struct{})
}

// note appends an event, now; the caller holds the lock, so the tape is in order.
func (w *Watch) note(e evidence.Event) {
	e.At = time.Since(w.began)
	w.events = append(w.events, e)
}

func (w *Watch) seePod(p *corev1.Pod) {
	version, ours := p.Labels[w.versionLabel]
	if !ours {
		return
	}
	w.locked(func() {
		seen := w.pods[p.Name]
		by := evidence.Server{Version: version, Pod: p.Name, Node: p.Spec.NodeName}
		if seen == nil {
			seen = &pod{}
			w.pods[p.Name] = seen
			w.note(evidence.Event{Kind: evidence.PodCreated, By: by})
		}
		seen.by = by
		if ready := podReady(p); ready != seen.ready {
			seen.ready = ready
			kind := evidence.PodUnready
			if ready {
				kind = evidence.PodReady
			}
			w.note(evidence.Event{Kind: kind, By: by})
		}
		if p.DeletionTimestamp != nil && !seen.deleting {
			seen.deleting = true
			w.note(evidence.Event{Kind: evidence.PodDeleting, By: by})
		}
	})
}

func (w *Watch) losePod(p *corev1.Pod) {
	w.locked(func() {
		if seen := w.pods[p.Name]; seen != nil {
			delete(w.pods, p.Name)
			w.note(evidence.Event{Kind: evidence.PodGone, By: seen.by})
		}
	})
}

func podReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (w *Watch) seeSlice(s *discoveryv1.EndpointSlice) {
	if s.Labels[discoveryv1.LabelServiceName] != w.service {
		return
	}
	ready := map[string]bool{}
	for _, e := range s.Endpoints {
		if e.TargetRef != nil && e.TargetRef.Kind == "Pod" {
			// A nil condition is to be read as true (discovery/v1 EndpointConditions.Ready).
			ready[e.TargetRef.Name] = e.Conditions.Ready == nil || *e.Conditions.Ready
		}
	}
	w.locked(func() { w.slices[s.Name] = ready; w.noteEndpoints() })
}

func (w *Watch) loseSlice(s *discoveryv1.EndpointSlice) {
	w.locked(func() { delete(w.slices, s.Name); w.noteEndpoints() })
}

// noteEndpoints notes what changed for a pod over all slices of the Service: it may be listed in two
// for a moment, and is ready if it is in one.
func (w *Watch) noteEndpoints() {
	now := map[string]bool{}
	for _, slice := range w.slices {
		for name, ready := range slice {
			now[name] = now[name] || ready
		}
	}
	for name, ready := range now {
		if was, listed := w.endpoints[name]; !listed && !ready || listed && was == ready {
			continue
		}
		kind := evidence.EndpointNotReady
		if ready {
			kind = evidence.EndpointReady
		}
		w.note(evidence.Event{Kind: kind, By: w.serverOf(name)})
	}
	for name := range w.endpoints {
		if _, listed := now[name]; !listed {
			w.note(evidence.Event{Kind: evidence.EndpointGone, By: w.serverOf(name)})
		}
	}
	w.endpoints = now
}

// serverOf is what is known about a pod; of one that is no longer in the API, its name.
func (w *Watch) serverOf(name string) evidence.Server {
	if p := w.pods[name]; p != nil {
		return p.by
	}
	return evidence.Server{Pod: name}
}

func (w *Watch) seeReplicaSet(rs *appsv1.ReplicaSet) {
	if rs.Spec.Replicas == nil {
		return
	}
	w.locked(func() {
		if was, seen := w.scaled[rs.Name]; seen && was == *rs.Spec.Replicas {
			return
		}
		w.scaled[rs.Name] = *rs.Spec.Replicas
		w.note(evidence.Event{Kind: evidence.ReplicaSetScaled, Object: rs.Name, Count: int(*rs.Spec.Replicas),
			Detail: rs.Spec.Template.Labels[w.versionLabel]})
	})
}

func (w *Watch) seeDeployment(d *appsv1.Deployment) {
	w.locked(func() { w.workloads[d.Name] = d })
}

func (w *Watch) loseDeployment(d *appsv1.Deployment) {
	w.locked(func() { delete(w.workloads, d.Name) })
}
