package observe

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// Periods of the heartbeat.
const (
	beatEvery      = time.Second
	beatRetryEvery = 100 * time.Millisecond // after an error
)

// A heartbeat sends requests to the API server to see whether it answers: watches of a server that hangs or is away show nothing, not
// even an error, and everything at once later.
type heartbeat struct {
	*journal
	namespaces typedcorev1.NamespaceInterface
	namespace  string        // to get
	timeout    time.Duration // a longer wait for an answer is a gap of the watch
}

// run notes, until ctx ends, how long each answer took, and the gaps without one.
func (h heartbeat) run(ctx context.Context) {
	for ctx.Err() == nil {
		asked := time.Now()
		why := ""
		answered := false
		for !answered && ctx.Err() == nil {
			_, err := h.namespaces.Get(ctx, h.namespace, metav1.GetOptions{})
			h.noteUnauthorized(apierrors.IsUnauthorized(err))
			answered = err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown
			if !answered && ctx.Err() == nil {
				why = ": " + err.Error()
				poll.Pause(ctx, beatRetryEvery)
			}
		}
		took := time.Since(asked)
		if answered {
			h.change(func() { h.note(evidence.Event{Kind: evidence.APIAnswered, Count: int(took.Milliseconds())}) })
		}
		if took > h.timeout {
			h.gap("the API server did not answer for %.1f s%s", took.Seconds(), why)
		}
		poll.Pause(ctx, beatEvery)
	}
}
