// Package sharedfile has files that several processes use: locks, which one process at a time holds, and files that are replaced
// atomically, so that a reader never sees half a file.
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

// A Lock is a lock file that one process at a time holds, until Release. When the holder dies, however it dies, the kernel releases the
// lock.
type Lock struct{ file *os.File }

// ErrHeld is returned by TryLock when another process holds the lock.
var ErrHeld = errors.New("held by another process")

// pollEvery is the pause between two tries of a waiting process.
const pollEvery = 200 * time.Millisecond

// Acquire waits until it gets the lock at path or ctx ends. If it has to wait it calls waiting once, with the
// holder as the file names it, such as "pid 7".
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

// TryLock takes the lock at path, or returns ErrHeld at once. While the lock is held the file contains "pid N".
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
		// The last holder may have removed the file between our open and our lock: then another file has the name.
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

// File returns the open lock file. A child process that inherits it shares the lock.
func (l *Lock) File() *os.File { return l.file }

// Abort releases the lock and leaves its file, as the death of the holder does.
func (l *Lock) Abort() error { return l.file.Close() }

// Release removes the lock file and releases the lock.
func (l *Lock) Release() error { return release(l.file) }
