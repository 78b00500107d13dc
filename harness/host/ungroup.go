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

// Ungroup takes the processes of a container out of the groups that share out the processors. A container of a pod of a kind
// node is six groups deep, and its turn comes late by the turns of all of them. With both processors of a host busy with a
// rollout, 1 % of a client's requests were 0.17 to 0.23 s late in such a group, and 0.04 to 0.07 s in ours. Memory and
// everything else that is limited stays with the pod.
//
// In groups of version 1 it moves them to that of this process. In those of version 2 it would take their memory out of the
// pod's limit too. In both they get the real-time policy where this process may give it, whose processes wait for no others
// and are in no group's share (sched(7)): in a User-Mode Linux kernel on one processor 1 % of a client's requests were 0.37
// and 0.51 s late grouped, and 0.02 to 0.03 s so.
//
// With priority false the processes keep their policy, and in groups of version 2 nothing is done.
func Ungroup(container string, priority bool) error {
	if container == "" { // of which every group's name would have a part
		return errors.New("a container without an id")
	}
	ours, unified, err := cpuGroup("/proc/self/cgroup")
	if err != nil {
		return err
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return err
	}
	if unified && !priority {
		return nil
	}
	hurried := priority && (unified || mayHasten() == nil)
	taken := 0
	for _, file := range processes {
		group, _, err := cpuGroup(file)
		if ended(err) {
			continue
		}
		if err != nil {
			return err
		}
		if !strings.Contains(group, container) {
			continue
		}
		process := filepath.Dir(file)
		if !unified {
			err = os.WriteFile(membersOf(ours), []byte(filepath.Base(process)), 0)
		}
		if err == nil && hurried {
			err = hasten(process)
		}
		if err != nil {
			return err
		}
		taken++
	}
	if taken == 0 {
		return fmt.Errorf("no process of container %s runs here", container)
	}
	return nil
}

// CannotUngroup reports why Ungroup does not work on this host; empty if it does.
func CannotUngroup() (because string) {
	ours, unified, err := cpuGroup("/proc/self/cgroup")
	if err != nil {
		return err.Error()
	}
	if unified {
		if err := mayHasten(); err != nil {
			return fmt.Sprintf("no real-time policy: %v", err)
		}
		return ""
	}
	if err := unix.Access(membersOf(ours), unix.W_OK); err != nil {
		return fmt.Sprintf("%s: %v", membersOf(ours), err)
	}
	return ""
}

func membersOf(group string) string { return filepath.Join(cpuGroups, group, "cgroup.procs") }

// cpuGroup is the group by which a process gets its turns, from its file in /proc, and whether it is one of version 2: a
// line for each hierarchy, such as "4:cpu,cpuacct:/docker/1f0c", and "0::/docker/1f0c" for that of version 2.
func cpuGroup(file string) (group string, unified bool, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", false, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		if slices.Contains(strings.Split(fields[1], ","), "cpu") {
			return fields[2], false, nil
		}
		if fields[0] == "0" {
			group, unified = fields[2], true
		}
	}
	if !unified {
		err = errors.New("no control group shares out the processors")
	}
	return group, unified, err
}

// ended says whether the error is of a process that is not there any more.
func ended(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }
