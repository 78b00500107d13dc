package host

import (
	"errors"
	"fmt"

	"example.com/rollcall/harness/usage"
)

// What three nodes and a suite's load need, measured on the reference host.
const (
	minMemory  = 3 << 30 // about 2 GiB resident
	minInotify = 90      // 55 instances at rest, at most 78 while every pod's log is followed
	setInotify = 512     // suggested in remedies
)

// A Disk is the file system of a folder.
type Disk struct {
	Folder string
	Free   int64 // bytes
}

// Free space needed on the disks of the engine and of the caches. Nodes write logs and images; building a node image takes
// 0.9 GiB for the image, 4 GiB for its parts, and the compiler's cache.
const (
	minEngine, minCache           = 3 << 30, 1 << 30
	minBuildEngine, minBuildCache = 4 << 30, 8 << 30
)

// Check returns a [usage.Error] for each resource of which there is too little for a cluster and, if building is set, for
// building the node image first.
func (f Facts) Check(building bool) error {
	return errors.Join(f.checkMemory(), f.checkDisks(building), f.checkInotify())
}

// CheckBeside returns a [usage.Error] for each resource of which there is too little for one more cluster beside the clusters of
// Rollcall that exist and stay.
func (f Facts) CheckBeside() error {
	f.InotifyUsed += f.InotifyOurs
	return errors.Join(f.checkMemory(), f.checkInotify())
}

func (f Facts) checkMemory() error {
	if f.MemoryFree >= minMemory {
		return nil
	}
	return usage.New("memory", gib(f.MemoryFree)+" is available, and three nodes and the load need "+gib(minMemory), "end other programs")
}

func (f Facts) checkDisks(building bool) error {
	engine, cache := int64(minEngine), int64(minCache)
	if building {
		engine, cache = minBuildEngine, minBuildCache
	}
	if f.SameDisk {
		return f.EngineDisk.check("for the engine's images and the caches", engine+cache)
	}
	return errors.Join(f.EngineDisk.check("for the engine's images", engine), f.CacheDisk.check("for the caches", cache))
}

func (d Disk) check(what string, need int64) error {
	if d.Free >= need {
		return nil
	}
	return usage.New("disk of "+d.Folder, fmt.Sprintf("%s is free %s, and %s is needed", gib(d.Free), what, gib(need)), "free some space")
}

func (f Facts) checkInotify() error {
	if f.InotifyInstances == 0 || f.InotifyInstances-f.InotifyUsed >= minInotify { // 0: unknown
		return nil
	}
	return usage.New("inotify",
		fmt.Sprintf("%d of %d instances are in use, and three nodes need %d more", f.InotifyUsed, f.InotifyInstances, minInotify),
		fmt.Sprintf("run: sysctl fs.inotify.max_user_instances=%d", max(setInotify, 2*f.InotifyInstances)))
}
