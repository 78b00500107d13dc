package host

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/rollcall/harness/command"
)

// inotifyLink is what a file descriptor of an inotify instance leads to in /proc.
const inotifyLink = "anon_inode:inotify"

// inotifyUsed counts the inotify instances of a user's processes, which the kernel limits per user; nodes run as root. Those of
// processes in our containers are counted apart, and those of processes that this one may not inspect are left out.
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

// clusterNodes are the ids of the containers that are nodes of Rollcall's clusters: a run uses or replaces those.
func clusterNodes(ctx context.Context) []string {
	ids, err := command.Run(ctx, "docker ps --quiet --no-trunc --filter label=io.x-k8s.kind.cluster --filter name=^rollcall-")
	if err != nil {
		return nil // without an engine there are none
	}
	return strings.Fields(ids)
}
