package host

import (
	"context"
	"os"

	"example.com/rollcall/harness/command"
)

// imageFolder returns the folder of the engine's images or, without an engine, the folder that a new one would use.
func imageFolder(ctx context.Context) string {
	folder, err := command.Run(ctx, "docker info --format {{.DockerRootDir}}")
	if err != nil || folder == "" {
		return "/var/lib/docker"
	}
	return folder
}

// cacheFolder returns [StateDir]. Go's own caches are usually on the same disk.
func cacheFolder() string {
	folder, err := StateDir()
	if err != nil {
		return os.TempDir() // HOME is unset, which other callers of StateDir report
	}
	return folder
}

// FreeSpace returns how many bytes are free on the disk of a folder.
func FreeSpace(folder string) int64 {
	d, _ := diskOf(folder)
	return d.Free
}

// disks returns the file systems of two folders, or of their nearest existing parents, and whether both are the same.
func disks(engine, cache string) (e, c Disk, one bool) {
	e, engineDevice := diskOf(engine)
	c, cacheDevice := diskOf(cache)
	return e, c, engineDevice == cacheDevice
}
