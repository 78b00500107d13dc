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

// Periods of the heartbeat. A busy API server answers within a tenth of the timeout, which is Rollcall's own choice.
const (
	beatEvery         = time.Second
	beatRetryEvery    = 100 * time.Millisecond // after a refusal
	defaultAPITimeout = 2 * time.Second
)

// A heartbeat asks the API server whether it still answers: the watches of a server that hangs or is away show nothing, not
// even an error, and everything at once later.
type heartbeat struct {
	*journal
	namespaces typedcorev1.NamespaceInterface
	namespace  string        // asked for
	timeout    time.Duration // without an answer for longer the watch was blind
}

// run notes, until ctx ends, how long answers took and when there was none.
func (h heartbeat) run(ctx context.Context) {
	for ctx.Err() == nil {
		asked := time.Now()
		why := ""
		answered := false
		for !answered && ctx.Err() == nil {
			_, err := h.namespaces.Get(ctx, h.namespace, metav1.GetOptions{})
			h.answeredBy401(apierrors.IsUnauthorized(err))
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
			h.gap("the API server did not answer for %.1fs%s", took.Seconds(), why)
		}
		poll.Pause(ctx, beatEvery)
	}
}
