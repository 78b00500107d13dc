// Package poll waits for conditions that cannot be watched.
package poll

import (
	"context"
	"fmt"
	"time"
)

// Until calls ask at once and then after every pause, until it returns done or an error, or ctx ends. Then the
// error is ctx's cause.
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

// UntilNil calls ask like Until, until it returns nil. If ctx ends first, the error is ctx's cause and the last error of ask.
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
