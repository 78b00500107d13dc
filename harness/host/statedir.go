package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/sharedfile"
)

// StateDir returns the folder of locks, cluster state and builds of node images:
// "rollcall" in the user's cache directory.
func StateDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("host: %w", err)
	}
	return filepath.Join(cache, "rollcall"), nil
}

// WithLock calls do with [StateDir] while it holds a lock, so that one process at a time does it. While it waits for the lock it prints
// to w which process holds it; what says what that process does.
func WithLock(ctx context.Context, w io.Writer, lock, what string, do func(state string) error) error {
	state, err := StateDir()
	if err != nil {
		return err
	}
	held, err := sharedfile.Acquire(ctx, filepath.Join(state, "locks", lock+".lock"), func(holder string) {
		fmt.Fprintf(w, "waiting for %s, which %s\n", holder, what)
	})
	if err != nil {
		return err
	}
	return errors.Join(do(state), held.Release())
}
