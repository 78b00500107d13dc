package observe

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// handlers are those of everything that a Watch sees, through informers of its namespace and of the whole cluster.
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

// A handler is told of every object of one informer that is there or changes, and of every one that goes.
type handler struct {
	informer       cache.SharedIndexInformer
	upsert, remove func(any)
}

// on makes a handler's function from one that knows the type, whichever way the object arrives.
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

// keeping has a map hold the objects that there are, by name.
func keeping[T metav1.Object](informer cache.SharedIndexInformer, j *journal, in map[string]T) handler {
	return handler{informer,
		on(func(object T) { j.change(func() { in[object.GetName()] = object }) }),
		on(func(object T) { j.change(func() { delete(in, object.GetName()) }) })}
}

// ignore is for objects whose end says nothing.
func ignore(any) {}

// register adds the handler to its informer. The informer lists again by itself after an error; that it saw nothing in
// between goes to broke.
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
