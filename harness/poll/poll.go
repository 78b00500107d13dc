// Package poll waits for what cannot be watched.
package poll

import (
	"context"
	"time"
)

// Until asks at once and then every so often, until the answer is done or an error, or ctx ends,
// whose cause is then the error.
func Until(ctx context.Context, every time.Duration, ask func() (done bool, err error)) error {
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
