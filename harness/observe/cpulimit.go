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

// A limit is that of a pod or of one of its containers on processor time.
type limit struct {
	stat *os.File // cpu.stat
	last time.Duration
}

// cgroups is where they are mounted.
const cgroups = "/sys/fs/cgroup"

// limitsOf opens the limits of a process's own pod, by the lines of its file in procfs, such as "4:cpu,cpuacct:/docker/1f/pod2a/3b". A
// cgroup above the pod's is the node's, whose limit nobody set for the pod.
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
				l.throttled() // what was before does not count
				all = append(all, l)
			}
		}
	}
	return all
}

// limited reports whether a cgroup has a limit: of v1, or of v2.
func limited(folder string) bool {
	if quota, err := os.ReadFile(filepath.Join(folder, "cpu.cfs_quota_us")); err == nil {
		return !strings.HasPrefix(string(quota), "-1")
	}
	most, err := os.ReadFile(filepath.Join(folder, "cpu.max"))
	return err == nil && !strings.HasPrefix(string(most), "max")
}

// throttled is for how long the limit kept its processes from running since it was asked last.
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
