//go:build !windows

package loadgen

import "syscall"

// errNothing is the error of readFile when nothing came over a connection, not even its end.
const errNothing = syscall.EAGAIN

func readFile(fd uintptr, to []byte) (int, error) { return syscall.Read(int(fd), to) }
