package host

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestCPUCgroup(t *testing.T) {
	for _, tc := range []struct {
		sentence, file, cgroup string
		v2                     bool
	}{
		{"a hierarchy of its own", "9:name=systemd:/\n1:cpu:/docker/1f\n0::/\n", "/docker/1f", false},
		{"one together with the accounts", "4:memory:/a\n3:cpu,cpuacct:/b:c\n", "/b:c", false},
		{"cpuset is another", "2:cpuset:/a\n1:cpu:/b\n", "/b", false},
		{"v2 alone", "0::/user.slice\n", "/user.slice", true},
		{"v2 beside a v1 hierarchy with the cpu controller", "0::/user.slice\n1:cpu:/b\n", "/b", false},
		{"none", "4:memory:/a\n", "", false},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cgroup")
			if err := os.WriteFile(file, []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			cgroup, v2, err := cpuCgroup(file)
			if cgroup != tc.cgroup || v2 != tc.v2 || (err != nil) != (tc.cgroup == "") {
				t.Errorf("cgroup %q, of v2: %v, error %v, want %q, %v", cgroup, v2, err, tc.cgroup, tc.v2)
			}
		})
	}
}

func TestLeaveCPUCgroupMovesEveryProcessOfAContainer(t *testing.T) {
	if because := CannotLeaveCPUCgroup(); because != "" {
		t.Skip(because)
	}
	own, v2, err := cpuCgroup("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	if v2 {
		t.Skip("a process does not leave its cgroup v2")
	}
	id := "5eed" + strconv.Itoa(os.Getpid()) // unique on the host, where LeaveCPUCgroup looks at all processes
	pod := filepath.Join(cpuHierarchy, own, "rollcall-test-"+id)
	container := filepath.Join(pod, "cri-containerd-"+id)
	if err := os.MkdirAll(container, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = os.Remove(container), os.Remove(pod) }) // fails while a process is in them
	var pids []int
	for range 2 {
		process := exec.CommandContext(t.Context(), "sleep", "600")
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = process.Process.Kill(), process.Wait() })
		pids = append(pids, process.Process.Pid)
		if err := os.WriteFile(filepath.Join(container, "cgroup.procs"), []byte(strconv.Itoa(process.Process.Pid)), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := LeaveCPUCgroup(id, true); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if cgroup, _, err := cpuCgroup(filepath.Join("/proc", strconv.Itoa(pid), "cgroup")); cgroup != own {
			t.Errorf("process %d is in cgroup %q (%v), want %q", pid, cgroup, err, own)
		}
	}
	for _, container := range []string{"0ddba11", ""} {
		if err := LeaveCPUCgroup(container, true); err == nil {
			t.Errorf("container %q does not run here, which is not an error", container)
		}
	}
}

// A process that ends while LeaveCPUCgroup looks at it, as kube-proxy's programs do, is not an error.
func TestLeaveCPUCgroupIgnoresProcessesThatEnd(t *testing.T) {
	if because := CannotLeaveCPUCgroup(); because != "" {
		t.Skip(because)
	}
	const ended = "4194304" // no process has this pid: it is the kernel's PID_MAX_LIMIT
	proc := t.TempDir()
	for _, pid := range []string{ended, strconv.Itoa(os.Getpid())} {
		file := filepath.Join(proc, pid, "cgroup")
		if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("1:cpu:/docker/5eed\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := leaveCPUCgroup(proc, "5eed", false); err != nil {
		t.Error(err)
	}
}

func TestSetRealtimeReachesEveryThread(t *testing.T) {
	if err := checkRealtime(); err != nil {
		t.Skipf("no real-time policy here: %v", err)
	}
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWaits$") // a Go program has several threads
	process.Env = append(os.Environ(), "ROLLCALL_WAITS=1")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = process.Process.Kill(), process.Wait() })
	folder := filepath.Join("/proc", strconv.Itoa(process.Process.Pid))
	if err := setRealtime(folder); err != nil {
		t.Fatal(err)
	}
	threads, err := filepath.Glob(filepath.Join(folder, "task", "*"))
	if err != nil || len(threads) == 0 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(filepath.Base(thread))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := unix.SchedGetAttr(id, 0); err != nil || is.Policy != unix.SCHED_RR {
			t.Errorf("thread %d has policy %+v, %v", id, is, err)
		}
	}
	if is, err := unix.SchedGetAttr(0, 0); err != nil || is.Policy == unix.SCHED_RR {
		t.Errorf("we have policy %+v ourselves, %v", is, err)
	}
}

// TestWaits sleeps in the process that the test above starts.
func TestWaits(*testing.T) {
	if os.Getenv("ROLLCALL_WAITS") != "" {
		time.Sleep(time.Hour)
	}
}
