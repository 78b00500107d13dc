package harness

import "context"

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

// Take takes the steps of a scenario, and returns what ended them early.
func (s *Steps) Take(ctx context.Context, steps func(context.Context, *Steps)) (err error) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case failure:
			err = end.error
		default:
			panic(end)
		}
	}()
	steps(ctx, s)
	return nil
}
