package harness

import (
	"context"
	"errors"
	"iter"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Changes are what a watch of the steps' own tells, with what became of the object. Unlike the conditions of [Steps.Until] they miss no
// state, however short: the API server sends them while nobody reads. Whoever reads on when the watch ends has the steps end.
func Changes[T runtime.Object](ctx context.Context, from watch.Interface) iter.Seq2[watch.EventType, T] {
	return func(yield func(watch.EventType, T) bool) {
		for event := range from.ResultChan() {
			object, ok := event.Object.(T)
			if !ok {
				break
			}
			if !yield(event.Type, object) {
				return
			}
		}
		Check(context.Cause(ctx))
		Check(errors.New("a watch of the steps' own ended early"))
	}
}
