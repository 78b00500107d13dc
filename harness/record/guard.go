package record

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
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

// guardEvery is how often the disk is looked at.
const guardEvery = time.Second

// guard ends the load, and the stages with end, as soon as the recorder fails or the disk is nearly full.
func (r *Recording) guard(ctx context.Context, end context.CancelCauseFunc, disk diskSpace) {
	began, lost := time.Now(), &UnrecordedError{}
	for lost.Because == "" {
		select {
		case <-r.recorder.Failed():
			lost.Because = filepath.Join(r.Folder, r.recorder.Err().Error())
		case <-time.After(guardEvery):
			lost.Because = disk.full(time.Since(began))
		case <-ctx.Done():
			return
		}
	}
	fmt.Fprintln(r.Out, lost)
	end(lost)
	if err := r.stopLoad(context.WithoutCancel(ctx)); err != nil {
		fmt.Fprintln(r.Out, err)
	}
}
