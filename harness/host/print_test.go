package host

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/dataplane"
)

func TestPrint(t *testing.T) {
	facts := Facts{
		Kernel: dataplane.Kernel{Release: "6.18", NFTables: true}, CgroupVersion: 2,
		Engine:         Engine{Running: true, Version: "28.1", Privileged: PrivilegedStarts},
		InotifyWatches: 65536, InotifyInstances: 1024, Cores: 2, MemoryFree: 4 << 30, EngineDisk: Disk{"/e", 9 << 30}, SameDisk: true,
	}
	for _, row := range []struct {
		sentence string
		change   func(*Facts)
		lines    []string // words of rows, by one space
	}{
		{"a host that is fit", func(*Facts) {}, []string{
			"container engine Docker 28.1", "privileged container starts kind nodes can run", "capabilities all", "cgroups v2",
			"load agents real-time they do not wait for a processor behind the pods of their node", "mode nftables yes the kernel has nf_tables",
			"mode ipvs skipped kernel 6.18 has no IP_VS, neither built in nor as a module: make ipvs-lab runs it here",
			"inotify 0 of 1024 instances, 65536 watches", "memory available 4.0 GiB a cluster needs 3.0 GiB",
			"disk free 9.0 GiB a cluster needs 4.0 GiB, building a node image 12.0 GiB"}},
		{"one without an engine", func(f *Facts) { f.Engine = Engine{} },
			[]string{"container engine none rollcall-host setup installs and starts it where root and apt-get allow", "privileged container"}},
		{"one whose engine does not run", func(f *Facts) { f.Engine = Engine{Installed: true} },
			[]string{"container engine Docker, not running rollcall-host setup installs and starts it"}},
		{"one whose engine refuses", func(f *Facts) {
			f.Engine.Managed, f.Engine.Privileged, f.MissingCaps = true, PrivilegedRefused, []string{"CAP_BPF"}
		}, []string{"container engine Docker 28.1, set up by Rollcall", "privileged container refused kind nodes cannot run",
			"capabilities missing 1 privileged containers need the runtime wrapper; without CAP_BPF"}},
		{"one in a container with few rights", func(f *Facts) {
			f.MissingCaps = slices.Repeat([]string{"CAP_NET_BROADCAST"}, 27)
		}, []string{"capabilities missing 27 privileged containers need the runtime wrapper; without CAP_NET_BROADCAST"}},
		{"one with cgroup v1", func(f *Facts) { f.CgroupVersion = 1 }, []string{
			"cgroups v1 kubelet runs with failCgroupV1=false (kind-config.yaml)",
			"load agents outside pods' cgroups they do not wait for a processor"}},
		{"one where load agents stay in their cgroups", func(f *Facts) { f.KeepsCPUCgroup = "no real-time policy" },
			[]string{"load agents in pods' cgroups no real-time policy: on a busy machine they may lag, and scenarios be retried"}},
		{"one with two disks and few inotify instances", func(f *Facts) { f.SameDisk, f.InotifyInstances = false, 128 }, []string{
			"disk free, engine 9.0 GiB a cluster needs 3.0 GiB, building a node image 4.0 GiB", "disk free, caches 0.0 GiB",
			"inotify 0 of 128 instances, 65536 watches 3 nodes need 90; for more nodes: sysctl fs.inotify.max_user_instances=512"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			f := facts
			row.change(&f)
			var out bytes.Buffer
			if err := f.Print(&out); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if len(strings.TrimRight(line, " \n")) > 120 {
					t.Errorf("%d columns: %s", len(line), line)
				}
			}
			all := strings.Join(strings.Fields(out.String()), " ")
			for _, line := range row.lines {
				if !strings.Contains(all, line) {
					t.Errorf("%q is not in\n%s", line, &out)
				}
			}
		})
	}
}
