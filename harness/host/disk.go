package host

import (
	"context"
	"os"

	"example.com/rollcall/harness/command"
)

// imageFolder is where the engine keeps its images, or where a new one would.
func imageFolder(ctx context.Context) string {
	folder, err := command.Run(ctx, "docker info --format {{.DockerRootDir}}")
	if err != nil || folder == "" {
		return "/var/lib/docker"
	}
	return folder
}

// cacheFolder is StateDir's; Go's own caches are usually on its disk.
func cacheFolder() string {
	folder, err := StateDir()
	if err != nil {
		return os.TempDir() // HOME is unset, which StateDir's users say
	}
	return folder
}

// disks are the file systems that hold two folders, or their nearest existing parents, and whether they are one.
func disks(engine, cache string) (e, c Disk, one bool) {
	e, engineDevice := diskOf(engine)
	c, cacheDevice := diskOf(cache)
	return e, c, engineDevice == cacheDevice
}
