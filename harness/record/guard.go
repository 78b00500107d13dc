package record

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// An UnrecordedError is why a load was ended early: what follows could not have been recorded.
type UnrecordedError struct{ Because string }

func (e *UnrecordedError) Error() string {
	return e.Because + ": the load has ended, and what was recorded before is judged"
}

// Unrecorded returns the [UnrecordedError] that ended the context of a recording; nil if it goes on, or ended by another cause.
func Unrecorded(ctx context.Context) *UnrecordedError {
	var lost *UnrecordedError
	errors.As(context.Cause(ctx), &lost)
	return lost
}

// guard ends the load, and the stages with end, as soon as the recorder fails.
func (r *Recording) guard(ctx context.Context, end context.CancelCauseFunc) {
	lost := &UnrecordedError{}
	select {
	case <-r.recorder.Failed():
		lost.Because = filepath.Join(r.Folder, r.recorder.Err().Error())
	case <-ctx.Done():
		return
	}
	fmt.Fprintln(r.Out, lost)
	end(lost)
	if err := r.stopLoad(context.WithoutCancel(ctx)); err != nil {
		fmt.Fprintln(r.Out, err)
	}
}
