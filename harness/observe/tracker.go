package observe

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// handlers returns the handlers of all objects that a Watch sees, with informers of its namespace and of the whole cluster.
func (w *Watch) handlers(namespaced, cluster informers.SharedInformerFactory) []handler {
	core, apps := namespaced.Core().V1(), namespaced.Apps().V1()
	nodes, events := newNodeTracker(w.journal), newAPIEventTracker(w.journal, w.pods)
	return []handler{
		{core.Pods().Informer(), on(w.pods.see), on(w.pods.lose)},
		{namespaced.Discovery().V1().EndpointSlices().Informer(), on(w.endpoints.see), on(w.endpoints.lose)},
		{apps.ReplicaSets().Informer(), on(w.workloads.seeReplicaSet), ignore},
		keeping(apps.Deployments().Informer(), w.journal, w.workloads.deployments),
		keeping(apps.StatefulSets().Informer(), w.journal, w.workloads.statefulSets),
		{cluster.Core().V1().Nodes().Informer(), on(nodes.see), on(nodes.lose)},
		{core.Events().Informer(), on(events.see), ignore},
	}
}

// A handler gets from one informer every object that exists or changes, and every object that is deleted.
type handler struct {
	informer       cache.SharedIndexInformer
	upsert, remove func(any)
}

// on wraps a typed function for a handler. It unwraps deleted objects whose final state is unknown.
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

// keeping returns a handler that keeps the existing objects in a map, by name.
func keeping[T metav1.Object](informer cache.SharedIndexInformer, j *journal, in map[string]T) handler {
	return handler{informer,
		on(func(object T) { j.change(func() { in[object.GetName()] = object }) }),
		on(func(object T) { j.change(func() { delete(in, object.GetName()) }) })}
}

// ignore is for objects whose deletion does not matter.
func ignore(any) {}

// register adds the handler to its informer. After an error the informer lists again by itself; broke gets the error, since the
// watch saw nothing in between.
func (h handler) register(broke func(error)) error {
	err := h.informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { broke(err) })
	if err == nil {
		_, err = h.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: h.upsert, UpdateFunc: func(_, now any) { h.upsert(now) }, DeleteFunc: h.remove,
		})
	}
	if err != nil {
		return fmt.Errorf("observe: %w", err)
	}
	return nil
}
