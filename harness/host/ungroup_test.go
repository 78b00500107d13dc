package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

func TestCPUGroup(t *testing.T) {
	for _, tc := range []struct{ sentence, file, group string }{
		{"a hierarchy of its own", "9:name=systemd:/\n1:cpu:/docker/1f\n0::/\n", "/docker/1f"},
		{"one together with the accounts", "4:memory:/a\n3:cpu,cpuacct:/b:c\n", "/b:c"},
		{"cpuset is another", "2:cpuset:/a\n1:cpu:/b\n", "/b"},
		{"version 2 has none", "0::/user.slice\n", ""},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cgroup")
			if err := os.WriteFile(file, []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			group, err := cpuGroup(file)
			if group != tc.group || (err != nil) != (tc.group == "") {
				t.Errorf("group %q, error %v, want %q", group, err, tc.group)
			}
		})
	}
}

func TestUngroupBringsEveryProcessOfAContainerToUs(t *testing.T) {
	if because := CannotUngroup(); because != "" {
		t.Skip(because)
	}
	ours, err := cpuGroup("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	pod := filepath.Join(cpuGroups, ours, "rollcall-test-"+strconv.Itoa(os.Getpid()))
	container := filepath.Join(pod, "cri-containerd-5eed")
	if err := os.MkdirAll(container, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = os.Remove(container), os.Remove(pod) }) // which works when nobody is left in them
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
	if err := Ungroup("5eed"); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if group, err := cpuGroup(filepath.Join("/proc", strconv.Itoa(pid), "cgroup")); group != ours {
			t.Errorf("process %d is in group %q (%v), want %q", pid, group, err, ours)
		}
	}
	for _, container := range []string{"0ddba11", ""} {
		if err := Ungroup(container); err == nil {
			t.Errorf("container %q does not run here, which is no error", container)
		}
	}
}
