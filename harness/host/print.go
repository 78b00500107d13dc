package host

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Finding is one line of the preflight: a thing, what was found of it, and the consequence, if there is one.
type Finding struct {
	What    string `json:"what"`
	Found   string `json:"found"`
	Follows string `json:"follows,omitempty"`
}

// Print writes the findings as a table of 120 columns.
func (f Facts) Print(w io.Writer) error {
	findings, what, found := f.Findings(), 0, 0
	for _, r := range findings {
		what, found = max(what, len(r.What)), max(found, len(r.Found))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "host preflight")
	for _, r := range findings {
		follows := strings.Join(phrase.Wrap(r.Follows, 120-len("  ")*3-what-found), "\n\t\t")
		fmt.Fprintf(table, "  %s\t%s\t%s\n", r.What, r.Found, follows)
	}
	return table.Flush()
}

// Findings returns the findings in the order of the output.
func (f Facts) Findings() (all []Finding) {
	row := func(what, found, follows string) { all = append(all, Finding{what, found, follows}) }
	row("container engine", f.Engine.String(), f.Engine.consequence())
	row("privileged container", string(f.Engine.Privileged),
		map[Privileged]string{PrivilegedStarts: "kind nodes can run", PrivilegedRefused: "kind nodes cannot run"}[f.Engine.Privileged])
	missing, without := "all", ""
	if n := len(f.MissingCaps); n > 0 {
		missing = fmt.Sprintf("missing %d", n)
		without = "privileged containers need the runtime wrapper; without " + strings.Join(f.MissingCaps, " ")
	}
	row("capabilities", missing, without)
	row("cgroups", fmt.Sprintf("v%d", f.CgroupVersion),
		map[int]string{1: "kubelet runs with failCgroupV1=false (kind-config.yaml)"}[f.CgroupVersion])
	agents, because := "outside pods' cgroups", "they do not wait for a processor behind the pods of their node"
	switch {
	case f.KeepsCPUCgroup != "":
		agents, because = "in pods' cgroups", f.KeepsCPUCgroup+": on a busy machine they may lag, and scenarios be retried"
	case f.CgroupVersion == 2:
		agents, because = "real-time", "they do not wait for a processor behind the pods of their node"
	}
	row("load agents", agents, because)
	for _, plane := range dataplane.All()[1:] { // every kernel has iptables, the first
		supported, because := plane.Supported(f.Kernel)
		row("mode "+plane.Name, map[bool]string{true: "yes", false: "skipped"}[supported], because)
	}
	inotify := ""
	if f.InotifyInstances < setInotify {
		inotify = fmt.Sprintf("3 nodes need %d; for more nodes: sysctl fs.inotify.max_user_instances=%d", minInotify, setInotify)
	}
	row("inotify", fmt.Sprintf("%d of %d instances, %d watches", f.InotifyUsed, f.InotifyInstances, f.InotifyWatches), inotify)
	row("cores", strconv.Itoa(f.Cores), "")
	row("memory available", gib(f.MemoryFree), "a cluster needs "+gib(minMemory))
	if f.SameDisk {
		row("disk free", gib(f.EngineDisk.Free),
			"a cluster needs "+gib(minEngine+minCache)+", building a node image "+gib(minBuildEngine+minBuildCache))
	} else {
		row("disk free, engine", gib(f.EngineDisk.Free), "a cluster needs "+gib(minEngine)+", building a node image "+gib(minBuildEngine))
		row("disk free, caches", gib(f.CacheDisk.Free), "a cluster needs "+gib(minCache)+", building a node image "+gib(minBuildCache))
	}
	return all
}

func gib(bytes int64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }
