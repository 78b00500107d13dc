package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// cpuHierarchy is the mount point of the cpu controller of cgroup v1.
const cpuHierarchy = "/sys/fs/cgroup/cpu"

// LeaveCPUCgroup lets the processes of a container run without waiting for their turn in its CPU cgroups; the package comment
// says why and how. On cgroup v2 it does nothing unless realtime is set.
func LeaveCPUCgroup(container string, realtime bool) error {
	return leaveCPUCgroup("/proc", container, realtime)
}

func leaveCPUCgroup(proc, container string, realtime bool) error {
	if container == "" { // every cgroup's path contains the empty string
		return errors.New("a container without an id")
	}
	own, v2, err := cpuCgroup("/proc/self/cgroup")
	if err != nil {
		return err
	}
	if v2 && !realtime {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "cgroup"))
	if err != nil {
		return err
	}
	realtime = realtime && (v2 || checkRealtime() == nil)
	moved := 0
	for _, file := range files {
		cgroups, err := os.ReadFile(file)
		if processGone(err) {
			continue
		}
		if err != nil {
			return err
		}
		if !strings.Contains(string(cgroups), container) { // in any controller: the process may have left the CPU cgroup before
			continue
		}
		process := filepath.Dir(file)
		if !v2 {
			err = os.WriteFile(procsFile(own), []byte(filepath.Base(process)), 0)
		}
		if err == nil && realtime {
			err = setRealtime(process)
		}
		if processGone(err) { // kube-proxy starts programs that end at once
			continue
		}
		if err != nil {
			return err
		}
		moved++
	}
	if moved == 0 {
		return fmt.Errorf("no process of container %s runs here", container)
	}
	return nil
}

// CannotLeaveCPUCgroup returns why LeaveCPUCgroup does not work on this host; empty if it does.
func CannotLeaveCPUCgroup() (because string) {
	own, v2, err := cpuCgroup("/proc/self/cgroup")
	if err != nil {
		return err.Error()
	}
	if v2 {
		if err := checkRealtime(); err != nil {
			return fmt.Sprintf("no real-time policy: %v", err)
		}
		return ""
	}
	if err := writable(procsFile(own)); err != nil {
		return fmt.Sprintf("%s: %v", procsFile(own), err)
	}
	return ""
}

func procsFile(cgroup string) string { return filepath.Join(cpuHierarchy, cgroup, "cgroup.procs") }

// cpuCgroup reads /proc/PID/cgroup and returns the process's CPU cgroup, and whether it is of version 2. The file has a line for
// each hierarchy, such as "4:cpu,cpuacct:/docker/1f0c", and "0::/docker/1f0c" for version 2.
func cpuCgroup(file string) (cgroup string, v2 bool, err error) {
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
			cgroup, v2 = fields[2], true
		}
	}
	if !v2 {
		err = errors.New("no cgroup has the cpu controller")
	}
	return cgroup, v2, err
}

// processGone reports whether an error says that the process has ended.
func processGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}
