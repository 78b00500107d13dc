package observe

import (
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// A tracker follows one kind of thing through informers.
type tracker interface {
	// handlers are those of its informers: of the watched namespace, or of the whole cluster.
	handlers(namespaced, cluster informers.SharedInformerFactory) []handler
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
