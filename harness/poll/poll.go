// Package poll waits for what cannot be watched.
package poll

import (
	"context"
	"fmt"
	"time"
)

// Until asks at once and then every so often, until the answer is done or an error, or ctx ends,
// whose cause is then the error.
func Until(ctx context.Context, every time.Duration, ask func() (done bool, err error)) error {
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		if Pause(ctx, every); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// UntilNil asks likewise until the answer is no error. If ctx ends before, the error is its cause, and what the last answer was.
func UntilNil(ctx context.Context, every time.Duration, ask func() error) error {
	var last error
	err := Until(ctx, every, func() (bool, error) { last = ask(); return last == nil, nil })
	if err != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	return nil
}

// Pause lasts for d, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
