package observe

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A limit is the CPU limit of a pod or of one of its containers.
type limit struct {
	stat *os.File // cpu.stat
	last time.Duration
}

// cgroups is where cgroups are mounted.
const cgroups = "/sys/fs/cgroup"

// limitsOf opens the limits of a process's pod from the lines of /proc/<pid>/cgroup, such as "4:cpu,cpuacct:/docker/1f/pod2a/3b".
// Cgroups above the pod's are the node's, whose limits are not the pod's.
func limitsOf(lines string) (all []*limit) {
	for line := range strings.Lines(lines) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		root := cgroups
		if fields[0] != "0" {
			if !slices.Contains(strings.Split(fields[1], ","), "cpu") {
				continue
			}
			root = filepath.Join(cgroups, "cpu")
		}
		for path := fields[2]; podCgroup.MatchString(path); path = filepath.Dir(path) {
			folder := filepath.Join(root, path)
			if !limited(folder) {
				continue
			}
			if f, err := os.Open(filepath.Join(folder, "cpu.stat")); err == nil {
				l := &limit{stat: f}
				l.throttled() // throttling until now does not count
				all = append(all, l)
			}
		}
	}
	return all
}

// limited reports whether a cgroup, v1 or v2, has a limit.
func limited(folder string) bool {
	if quota, err := os.ReadFile(filepath.Join(folder, "cpu.cfs_quota_us")); err == nil {
		return !strings.HasPrefix(string(quota), "-1")
	}
	most, err := os.ReadFile(filepath.Join(folder, "cpu.max"))
	return err == nil && !strings.HasPrefix(string(most), "max")
}

// throttled returns for how long the limit has kept its processes from running since the last call.
func (l *limit) throttled() time.Duration {
	var text [1024]byte
	n, _ := l.stat.ReadAt(text[:], 0)
	lines := bufio.NewScanner(bytes.NewReader(text[:n]))
	for lines.Scan() {
		name, number, _ := strings.Cut(lines.Text(), " ")
		unit, ok := map[string]time.Duration{"throttled_time": time.Nanosecond, "throttled_usec": time.Microsecond}[name]
		total, err := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil {
			continue
		}
		since := time.Duration(total)*unit - l.last
		l.last = time.Duration(total) * unit
		return since
	}
	return 0
}

func (l *limit) close() { _ = l.stat.Close() }
