package lab

import (
	"os"
	"syscall"
)

// memoryFolder returns the folder for the file of the machine's memory, which the kernel opens and removes: /dev/shm, if that is
// large enough and its files may be executed.
func memoryFolder() string {
	const inMemory, noExec = "/dev/shm", 8 // ST_NOEXEC of statfs(2)
	var fs syscall.Statfs_t
	if syscall.Statfs(inMemory, &fs) == nil && fs.Flags&noExec == 0 && fs.Bavail*uint64(fs.Bsize) >= memory {
		return inMemory
	}
	return os.TempDir()
}
