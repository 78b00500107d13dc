// Package sharedfile has files that several processes use: locks, of which one process at a time is the holder, and files that a reader
// finds whole or not at all.
package sharedfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Lock gives one process at a time the use of a named thing on this host, until Release. The kernel frees it when its holder dies,
// however it dies.
type Lock struct{ file *os.File }

// ErrHeld is returned by TryLock when another process holds the lock.
var ErrHeld = errors.New("held by another process")

// pollEvery is how often a waiting process asks again.
const pollEvery = 200 * time.Millisecond

// Acquire waits until the lock at path is ours or ctx ends. It calls waiting once, with what the
// holder wrote about itself, when it has to wait.
func Acquire(ctx context.Context, path string, waiting func(holder string)) (*Lock, error) {
	for told := false; ; {
		l, err := TryLock(path)
		if !errors.Is(err, ErrHeld) {
			return l, err
		}
		if !told {
			told = true
			holder, _ := os.ReadFile(path)
			waiting(strings.TrimSpace(string(holder)))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock: wait for %s: %w", path, context.Cause(ctx))
		case <-time.After(pollEvery):
		}
	}
}

// TryLock takes the lock at path, or returns ErrHeld at once. The file holds "pid N" while it is held.
func TryLock(path string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
		if err := flock(f); err != nil {
			f.Close()
			if errors.Is(err, ErrHeld) {
				return nil, err
			}
			return nil, fmt.Errorf("lock: %s: %w", path, err)
		}
		// The last holder removes the file: what we locked may have a name no longer.
		if ours, err := f.Stat(); err == nil {
			if named, err := os.Stat(path); err == nil && os.SameFile(ours, named) {
				if err = f.Truncate(0); err == nil {
					_, err = fmt.Fprintf(f, "pid %d\n", os.Getpid())
				}
				if err != nil {
					f.Close()
					return nil, fmt.Errorf("lock: %w", err)
				}
				return &Lock{f}, nil
			}
		}
		f.Close()
	}
}

// File is the open lock file: a child process that inherits it shares the lock.
func (l *Lock) File() *os.File { return l.file }

// Abort frees the lock and leaves its file, as the death of its holder does.
func (l *Lock) Abort() error { return l.file.Close() }

// Release removes the lock file and frees the lock.
func (l *Lock) Release() error { return release(l.file) }
