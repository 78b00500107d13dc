package observe

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/harness/evidence"
)

// How often the API server is asked whether it still answers, and again if it refused, and for how long it may not unless a
// [Scope] says: a watch of a server that hangs or is away shows nothing, not even an error, and tells later of everything at
// once. All are our own choice; a busy server answers within a tenth of the patience.
const (
	beatEvery    = time.Second
	againEvery   = 100 * time.Millisecond
	beatPatience = 2 * time.Second
)

// heartbeat notes, until ctx ends, for how long the API server did not answer.
func (w *Watch) heartbeat(ctx context.Context, namespace string) {
	for ctx.Err() == nil {
		asked := time.Now()
		why := ""
		answered := false
		for !answered && ctx.Err() == nil {
			_, err := w.core.Namespaces().Get(ctx, namespace, metav1.GetOptions{})
			if answered = err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown; !answered && ctx.Err() == nil {
				why = ": " + err.Error()
				pause(ctx, againEvery)
			}
		}
		took := time.Since(asked)
		if answered {
			w.Note(evidence.Event{Kind: evidence.APIAnswered, Count: int(took.Milliseconds())})
		}
		if took > w.patience {
			w.gap("the API server did not answer for %.1fs%s", took.Seconds(), why)
		}
		pause(ctx, beatEvery)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// gap notes that the watch was blind up to now.
func (w *Watch) gap(format string, values ...any) {
	w.locked(func() { w.note(evidence.Event{Kind: evidence.WatchGap, Detail: fmt.Sprintf(format, values...)}) })
}
