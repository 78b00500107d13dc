package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/dataplane"
)

// Facts are the findings of a preflight on this host. A field that could not be read is zero.
type Facts struct {
	Kernel           dataplane.Kernel
	Engine           Engine
	MissingCaps      []string // capabilities outside our bounding set, such as "CAP_SYS_RESOURCE"
	CgroupVersion    int      // 1 or 2
	KeepsCPUCgroup   string   // why [LeaveCPUCgroup] does not work here; empty if it does
	InotifyWatches   int      // fs.inotify.max_user_watches
	InotifyInstances int      // fs.inotify.max_user_instances
	InotifyUsed      int      // root's instances, without those of Rollcall's clusters
	InotifyOurs      int      // instances of Rollcall's clusters
	Cores            int
	MemoryFree       int64 // bytes available without swapping
	EngineDisk       Disk  // of the engine's images
	CacheDisk        Disk  // of what Rollcall builds
	SameDisk         bool  // EngineDisk and CacheDisk are the same
	Root             bool
	Apt              bool
}

// Probe finds the facts. It changes nothing, except that asking the kernel for nf_tables may load
// that module.
func Probe(ctx context.Context) Facts {
	f := Facts{
		Engine:           probeEngine(ctx),
		MissingCaps:      command.MissingCapabilities(),
		CgroupVersion:    cgroupVersion(),
		KeepsCPUCgroup:   CannotLeaveCPUCgroup(),
		Kernel:           Kernel(ctx),
		InotifyWatches:   readInt("/proc/sys/fs/inotify/max_user_watches"),
		InotifyInstances: readInt("/proc/sys/fs/inotify/max_user_instances"),
		Cores:            runtime.NumCPU(),
		MemoryFree:       MemoryFree(),
		Root:             os.Geteuid() == 0,
	}
	f.InotifyUsed, f.InotifyOurs = inotifyUsed("/proc", 0, clusterNodes(ctx))
	f.EngineDisk, f.CacheDisk, f.SameDisk = disks(imageFolder(ctx), cacheFolder())
	_, err := exec.LookPath("apt-get")
	f.Apt = err == nil
	return f
}

// Kernel finds what data planes need to know of this host's kernel.
func Kernel(ctx context.Context) dataplane.Kernel {
	return dataplane.Kernel{Release: kernelRelease(), NFTables: hasNFTables(), IPVS: hasIPVS(ctx)}
}

func cgroupVersion() int {
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		return 2
	}
	return 1
}

// MemoryFree returns how many bytes of memory are available without swapping.
func MemoryFree() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	_, rest, _ := strings.Cut(string(text), "MemAvailable:")
	var kib int64
	_, _ = fmt.Sscan(rest, &kib) // 0 without such a line
	return kib << 10
}

func readInt(path string) int {
	data, _ := os.ReadFile(path)
	n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return n
}
