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

// release closes the file before it removes it, because Windows does not remove an open file.
func release(f *os.File) error {
	if err := f.Close(); err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // fails if another process has locked it by now
	return nil
}
