package sharedfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// flock locks an open file, or returns ErrHeld.
func flock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}

// release closes the file first: Windows removes none that is open.
func release(f *os.File) error {
	if err := f.Close(); err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // whoever waited may have it by now
	return nil
}
