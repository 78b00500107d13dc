package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// cpuGroups is where control groups of version 1 share out the processors.
const cpuGroups = "/sys/fs/cgroup/cpu"

// Ungroup takes the processes of a container out of the groups that share out the processors, into that of this process. A
// container of a pod of a kind node is six groups deep, and its turn comes late by the turns of all of them. With both
// processors of a host busy with a rollout, 1 % of a client's requests were 0.17 to 0.23 s late in such a group, and 0.04 to
// 0.07 s in ours. Memory and everything else that is limited stays with the pod.
func Ungroup(container string) error {
	if container == "" { // of which every group's name would have a part
		return errors.New("a container without an id")
	}
	ours, err := cpuGroup("/proc/self/cgroup")
	if err != nil {
		return err
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return err
	}
	taken := 0
	for _, file := range processes {
		group, err := cpuGroup(file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) { // it has ended
			continue
		}
		if err != nil {
			return err
		}
		if !strings.Contains(group, container) {
			continue
		}
		if err := os.WriteFile(membersOf(ours), []byte(filepath.Base(filepath.Dir(file))), 0); err != nil {
			return err
		}
		taken++
	}
	if taken == 0 {
		return fmt.Errorf("no process of container %s runs here", container)
	}
	return nil
}

// CannotUngroup reports why Ungroup does not work on this host; empty if it does. In groups of version 2 a process that
// leaves its pod's takes its memory out of the pod's limit too.
func CannotUngroup() (because string) {
	ours, err := cpuGroup("/proc/self/cgroup")
	if err != nil {
		return err.Error()
	}
	if err := unix.Access(membersOf(ours), unix.W_OK); err != nil {
		return fmt.Sprintf("%s: %v", membersOf(ours), err)
	}
	return ""
}

func membersOf(group string) string { return filepath.Join(cpuGroups, group, "cgroup.procs") }

// cpuGroup is the group by which a process gets its turns, from its file in /proc: a line for each hierarchy, such as
// "4:cpu,cpuacct:/docker/1f0c".
func cpuGroup(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && slices.Contains(strings.Split(fields[1], ","), "cpu") {
			return fields[2], nil
		}
	}
	return "", errors.New("control groups of version 2 share out processors and memory together")
}
