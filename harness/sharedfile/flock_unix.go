//go:build !windows

package sharedfile

import (
	"errors"
	"os"
	"syscall"
)

// flock locks an open file, or returns ErrHeld.
func flock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

// release removes the file while it is still locked: after the unlock the name may be another holder's.
func release(f *os.File) error { return errors.Join(os.Remove(f.Name()), f.Close()) }
