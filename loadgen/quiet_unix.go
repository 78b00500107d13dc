//go:build !windows

package loadgen

import (
	"errors"
	"syscall"
)

// nothingToRead reports whether nothing came over a connection, not even its end.
func nothingToRead(fd uintptr) bool {
	_, err := syscall.Read(int(fd), make([]byte, 1))
	return errors.Is(err, syscall.EAGAIN)
}
