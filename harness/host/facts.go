package host

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/sys/unix"

	"rollcall/harness/command"
	"rollcall/harness/host/capability"
)

// Facts is what a preflight found on this host. A field that could not be read is zero.
type Facts struct {
	Kernel          string
	Engine          Engine
	MissingCaps     []string // capabilities outside our bounding set, such as "CAP_SYS_RESOURCE"
	CgroupVersion   int      // 1 or 2
	Grouped         string   // why clients stay in their pods' groups; empty if they do not
	NFTables        bool     // the kernel has nf_tables
	IPVS            bool     // the kernel has IP_VS, built in or as a module that can be loaded
	InotifyWatches  int      // fs.inotify.max_user_watches
	InotifyInstance int      // fs.inotify.max_user_instances
	InotifyUsed     int      // of root, but for clusters of ours
	Cores           int
	MemoryFree      int64 // bytes available without swapping
	Engines         Disk  // where the engine keeps its images
	Caches          Disk  // where Rollcall keeps what it builds
	OneDisk         bool  // both are the same
	Root            bool
	Apt             bool
}

// Probe reads the facts. It changes nothing, except that asking the kernel for nf_tables may load
// that module where modules are loadable.
func Probe(ctx context.Context) Facts {
	f := Facts{
		Engine:          probeEngine(ctx),
		MissingCaps:     capability.Missing(),
		CgroupVersion:   cgroupVersion(),
		Grouped:         CannotUngroup(),
		NFTables:        hasNFTables(),
		IPVS:            hasIPVS(ctx),
		InotifyWatches:  readInt("/proc/sys/fs/inotify/max_user_watches"),
		InotifyInstance: readInt("/proc/sys/fs/inotify/max_user_instances"),
		Cores:           runtime.NumCPU(),
		MemoryFree:      memoryAvailable("/proc/meminfo"),
		InotifyUsed:     inotifyUsed("/proc", 0, ownNodes(ctx)),
		Root:            os.Geteuid() == 0,
	}
	f.Engines, f.Caches, f.OneDisk = disks(imageFolder(ctx), cacheFolder())
	var uts unix.Utsname
	if unix.Uname(&uts) == nil {
		f.Kernel = unix.ByteSliceToString(uts.Release[:])
	}
	_, err := exec.LookPath("apt-get")
	f.Apt = err == nil
	return f
}

// Mode reports whether this host's kernel can run kube-proxy in the mode, and why.
func (f Facts) Mode(mode string) (supported bool, because string) {
	switch mode {
	case "iptables":
		return true, "every Linux host kind runs on has it"
	case "nftables":
		if f.NFTables {
			return true, "the kernel has nf_tables"
		}
		return false, fmt.Sprintf("kernel %s has no nf_tables", f.Kernel)
	case "ipvs":
		if f.IPVS {
			return true, "the kernel has IP_VS"
		}
		return false, fmt.Sprintf("kernel %s has no IP_VS, neither built in nor as a module: make ipvs-lab runs it here", f.Kernel)
	}
	return false, "not a kube-proxy mode"
}

// Print writes what was found and what follows from it, a line each.
func (f Facts) Print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(what, found, follows string) { fmt.Fprintf(table, "  %s\t%s\t%s\n", what, found, follows) }
	fmt.Fprintln(w, "host preflight")
	row("container engine", f.Engine.String(), f.Engine.follows())
	row("privileged container", string(f.Engine.Privileged), f.Engine.Privileged.follows())
	row("capabilities", orNone(f.MissingCaps, "all", "missing "), orNone(f.MissingCaps, "", "privileged containers need the runtime wrapper; without "))
	row("cgroups", fmt.Sprintf("v%d", f.CgroupVersion), map[int]string{1: "kubelet runs with failCgroupV1=false (kind-config.yaml)"}[f.CgroupVersion])
	clients, because := "ungrouped", "their turns at the processors come like our own, not when those of their node and pod do"
	if f.CgroupVersion == 2 {
		because = "their turns at the processors come at once, by the real-time policy, not when those of their node and pod do"
	}
	if f.Grouped != "" {
		clients, because = "grouped", f.Grouped+": on a busy machine they may be late, and recordings made once more"
	}
	row("clients", clients, because)
	for _, mode := range []string{"nftables", "ipvs"} {
		supported, because := f.Mode(mode)
		row("mode "+mode, map[bool]string{true: "yes", false: "skipped"}[supported], because)
	}
	inotify := ""
	if f.InotifyInstance < enough {
		inotify = fmt.Sprintf("3 nodes need %d; for more nodes: sysctl fs.inotify.max_user_instances=%d", minInotify, enough)
	}
	row("inotify", fmt.Sprintf("%d of %d instances, %d watches", f.InotifyUsed, f.InotifyInstance, f.InotifyWatches), inotify)
	row("cores", strconv.Itoa(f.Cores), "")
	row("memory available", gib(f.MemoryFree), "a cluster needs "+gib(minMemory))
	if f.OneDisk {
		row("disk free", gib(f.Engines.Free), "a cluster needs "+gib(minEngine+minCache)+", building a node image "+gib(minBuildEngine+minBuildCache))
	} else {
		row("disk free, engine", gib(f.Engines.Free), "a cluster needs "+gib(minEngine)+", building a node image "+gib(minBuildEngine))
		row("disk free, caches", gib(f.Caches.Free), "a cluster needs "+gib(minCache)+", building a node image "+gib(minBuildCache))
	}
	table.Flush()
}

func orNone(list []string, none, prefix string) string {
	if len(list) == 0 {
		return none
	}
	return prefix + strings.Join(list, " ")
}

func gib(bytes int64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

func cgroupVersion() int {
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		return 2
	}
	return 1
}

func memoryAvailable(meminfo string) int64 {
	for line := range lines(meminfo) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

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

func readInt(path string) int {
	data, _ := os.ReadFile(path)
	n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return n
}

func lines(path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		f, err := os.Open(path)
		if err != nil {
			return
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan() && yield(s.Text()); {
		}
	}
}
