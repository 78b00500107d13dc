package host

import (
	"context"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"rollcall/harness/command"
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

func diskOf(folder string) (d Disk, device uint64) {
	var fs unix.Statfs_t
	at := folder
	for unix.Statfs(at, &fs) != nil && at != "/" {
		at = filepath.Dir(at)
	}
	var stat unix.Stat_t
	_ = unix.Stat(at, &stat) // Statfs could, so can this
	return Disk{folder, int64(fs.Bavail) * fs.Bsize}, stat.Dev
}
