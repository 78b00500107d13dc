package host

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/rollcall/harness/command"
)

// inotifyLink is the target of the link in /proc/PID/fd of an inotify instance.
const inotifyLink = "anon_inode:inotify"

// inotifyUsed counts the inotify instances of a user, for whom the kernel limits them; nodes run as root. It counts those of processes
// in our containers separately, and leaves out processes that this one may not inspect.
func inotifyUsed(proc string, user uint32, containers []string) (used, ours int) {
	processes, _ := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	for _, process := range processes {
		info, err := os.Stat(process)
		if err != nil {
			continue // it has ended
		}
		if !ownedBy(info, user) {
			continue
		}
		count := &used
		cgroup, _ := os.ReadFile(filepath.Join(process, "cgroup"))
		if slices.ContainsFunc(containers, func(container string) bool { return strings.Contains(string(cgroup), container) }) {
			count = &ours
		}
		open, _ := filepath.Glob(filepath.Join(process, "fd", "*"))
		for _, fd := range open {
			if link, err := os.Readlink(fd); err == nil && link == inotifyLink {
				*count++
			}
		}
	}
	return used, ours
}

// clusterNodes returns the ids of the node containers of Rollcall's clusters, which a run reuses or replaces.
func clusterNodes(ctx context.Context) []string {
	ids, err := command.Run(ctx, "docker ps --quiet --no-trunc --filter label=io.x-k8s.kind.cluster --filter name=^rollcall-")
	if err != nil {
		return nil // without an engine there are none
	}
	return strings.Fields(ids)
}
