package harness

import (
	"context"
	"errors"
)

// A failure is the panic value that ends steps early. [Steps.Take] recovers it.
type failure struct{ error }

// Check ends the steps if err is not nil. Only the goroutine that runs the steps may call it.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must returns the value of a call, or ends the steps if err is not nil.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Cleanup registers a function to call when the steps have ended, in whatever way. The last one registered is called first.
func (s *Steps) Cleanup(undo func(context.Context) error) { s.undo = append(s.undo, undo) }

// Take runs the steps of a scenario and then the functions given to Cleanup. It returns the error that ended the steps early, and those
// of the cleanup.
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
