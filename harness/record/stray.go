package record

import (
	"context"
	"errors"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// strays looks for pods behind a Service that have none of the versions.
type strays struct {
	watch    *observe.Watch
	services typedcorev1.ServiceInterface
	service  string
	versions []string
}

// A strayError says that the end of a rollout was not awaited because clients reach a pod that is not part of it.
type strayError struct {
	observe.Stray
	why string
}

func (e *strayError) Error() string {
	return fmt.Sprintf("pod %s is not part of the rollout but was behind the Service, so the end of the rollout was not awaited: %s; "+
		"it is in EndpointSlice %s", e.Pod, e.why, e.Slice)
}

// await waits for a stray pod, notes it and returns a strayError, or returns nil when ctx ends.
func (s strays) await(ctx context.Context) error {
	stray, err := s.watch.AwaitStray(ctx, s.versions)
	if err != nil {
		return nil
	}
	found := &strayError{stray, s.why(ctx, stray.Labels)}
	s.watch.Note(evidence.Event{Kind: evidence.StrayPod, By: found.Server, Object: found.Slice, Detail: found.why})
	return found
}

// why returns why the Service sends requests to a pod with these labels.
func (s strays) why(ctx context.Context, podLabels string) string {
	service, err := s.services.Get(ctx, s.service, metav1.GetOptions{})
	if err != nil {
		return "its labels are " + podLabels
	}
	of, err := labels.ConvertSelectorToLabelsMap(podLabels)
	selector := labels.SelectorFromSet(service.Spec.Selector)
	if err != nil || !selector.Matches(of) {
		return fmt.Sprintf("its labels do not match the Service's selector %s, but a slice lists it", selector)
	}
	return "its labels match the Service's selector " + selector.String()
}

// unlessStray runs change until it is done, or until await returns a stray pod, which cancels it. In both cases, and if change ran out
// of time, it calls end, so that the load ends in order.
func unlessStray(ctx context.Context, await, change, end func(context.Context) error) error {
	looking, stopLooking := context.WithCancel(ctx)
	changing, stopChanging := context.WithCancelCause(ctx)
	defer stopChanging(nil)
	var looks sync.WaitGroup
	looks.Go(func() {
		if stray := await(looking); stray != nil {
			stopChanging(stray)
		}
	})
	err := change(changing)
	var stray *strayError
	if errors.As(context.Cause(changing), &stray) {
		err = stray
	}
	if err == nil || stray != nil || errors.Is(err, observe.ErrNeverSettled) {
		err = errors.Join(err, end(ctx))
	}
	stopLooking()
	looks.Wait()
	return err
}
