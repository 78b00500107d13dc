package harness

import (
	"context"
	"errors"
)

// A failure ends steps early. It goes no further than [Steps.Take].
type failure struct{ error }

// Check ends the steps if a call failed. It is for the goroutine that takes them alone.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must is what a call returned, unless it failed, which ends the steps.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Cleanup has something be undone when the steps have ended, in whatever way, the last first.
func (s *Steps) Cleanup(undo func(context.Context) error) { s.undo = append(s.undo, undo) }

// Take takes the steps of a scenario, undoes what they asked to, and returns what ended them early or was not undone.
func (s *Steps) Take(ctx context.Context, steps func(context.Context, *Steps)) (err error) {
	defer func() {
		end := recover()
		var undone []error
		for i := len(s.undo) - 1; i >= 0; i-- {
			undone = append(undone, s.undo[i](context.WithoutCancel(ctx)))
		}
		f, ended := end.(failure)
		if end != nil && !ended {
			panic(end)
		}
		err = errors.Join(append([]error{f.error}, undone...)...)
	}()
	steps(ctx, s)
	return nil
}
