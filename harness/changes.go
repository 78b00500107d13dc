package harness

import (
	"context"
	"errors"
	"iter"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Changes yields the events of a watch that the steps opened: the type of each event, and the object after it. Unlike the conditions of
// [Steps.Until], they miss no state, however short: the API server sends events while nobody reads. If the watch ends while the caller
// still reads, the steps end with an error.
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
