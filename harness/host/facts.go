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
	Cores           int
	MemoryFree      int64 // bytes available without swapping
	DiskFree        int64 // bytes free where the engine keeps its images
	Root            bool
	Apt             bool
}

// What three idle nodes need, and what a node image build needs on top (measured on the
// reference host: about 2 GiB resident; 0.9 GiB image, 4 GiB of build folder and Go caches).
const (
	minMemory    = 3 << 30
	minDisk      = 4 << 30
	minBuildDisk = 12 << 30
	minInotify   = 128 // instances; the kernel's default runs three nodes, less does not
)

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
		DiskFree:        diskFree(imageFolder(ctx)),
		Root:            os.Geteuid() == 0,
	}
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

// Check refuses a host that is too small for a cluster, or for building the node image first.
func (f Facts) Check(building bool) error {
	disk := int64(minDisk)
	if building {
		disk = minBuildDisk
	}
	switch {
	case f.MemoryFree < minMemory:
		return Refuse("memory", fmt.Sprintf("%s available", gib(f.MemoryFree)), "free memory until "+gib(minMemory)+" is available")
	case f.DiskFree < disk:
		return Refuse("disk", fmt.Sprintf("%s free where the engine keeps its images", gib(f.DiskFree)), "free space until "+gib(disk)+" is")
	case f.InotifyInstance > 0 && f.InotifyInstance < minInotify:
		return Refuse("inotify", fmt.Sprintf("fs.inotify.max_user_instances is %d", f.InotifyInstance),
			fmt.Sprintf("run: sysctl fs.inotify.max_user_instances=%d", 4*minInotify))
	}
	return nil
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
	if f.InotifyInstance < 4*minInotify {
		inotify = fmt.Sprintf("enough for 3 nodes; more nodes: sysctl fs.inotify.max_user_instances=%d", 4*minInotify)
	}
	row("inotify", fmt.Sprintf("%d instances, %d watches", f.InotifyInstance, f.InotifyWatches), inotify)
	row("cores", strconv.Itoa(f.Cores), "")
	row("memory available", gib(f.MemoryFree), "a cluster needs "+gib(minMemory))
	row("disk free", gib(f.DiskFree), "a cluster needs "+gib(minDisk)+", building a node image "+gib(minBuildDisk))
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

// diskFree is the space free on the file system that holds dir, or its nearest existing parent.
func diskFree(dir string) int64 {
	var fs unix.Statfs_t
	for unix.Statfs(dir, &fs) != nil && dir != "/" {
		dir = filepath.Dir(dir)
	}
	return int64(fs.Bavail) * fs.Bsize
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
