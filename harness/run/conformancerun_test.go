package run

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/layout"
)

// A conformanceRun is a command of rollcall under way, as a user runs it.
type conformanceRun struct {
	guest
	cmd     *exec.Cmd
	mu      sync.Mutex
	changed sync.Cond // text or ended
	text    strings.Builder
	ended   bool
}

// conformance starts the command. Its output goes to the test's log too.
func (g guest) conformance(args ...string) *conformanceRun {
	g.Helper()
	root, err := layout.Find()
	if err != nil {
		g.Fatal(err)
	}
	args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasSuffix(arg, "=") }) // an option without a value is refused
	if args[0] == "run" {
		args = append(args, "-v") // tests wait for lines that suites print
	}
	r := &conformanceRun{guest: g, cmd: exec.CommandContext(g.ctx, filepath.Join(root.Module, "out", "bin", "rollcall"), args...)}
	r.changed.L = &r.mu
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = root.Module, r, r
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that all its children can be killed with it
	if err := r.cmd.Start(); err != nil {
		g.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait() // end reads the exit code
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = true
		r.changed.Broadcast()
	}()
	return r
}

func (r *conformanceRun) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed.Broadcast()
	r.text.Write(p)
	return r.Output().Write(p)
}

// untilSays waits until the command has printed a text, and fails the test if it ended without it.
func (r *conformanceRun) untilSays(what string) {
	r.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !strings.Contains(r.text.String(), what) {
		if r.ended {
			r.Fatalf("it ended and never said %q", what)
		}
		r.changed.Wait()
	}
}

// kill sends a signal to the command, and to all its children.
func (r *conformanceRun) kill(signal syscall.Signal) {
	r.Helper()
	if err := syscall.Kill(-r.cmd.Process.Pid, signal); err != nil {
		r.Fatal(err)
	}
}

// end waits for the end of the command and returns its exit code, -1 if a signal ended it, and its output.
func (r *conformanceRun) end() (code int, said string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.ended {
		r.changed.Wait()
	}
	return r.cmd.ProcessState.ExitCode(), r.text.String()
}

// latest returns a scenario's run.json in the latest run.
func (g guest) latest(suite, scenario string) (run evidence.Run) {
	g.Helper()
	root, err := layout.Find()
	if err != nil {
		g.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root.Module, "out", "latest", "evidence", "*", suite, scenario, "run.json"))
	if err != nil || len(files) != 1 {
		g.Fatalf("%d run files of %s/%s, %v", len(files), suite, scenario, err)
	}
	data, err := os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(data, &run)
	}
	if err != nil {
		g.Fatal(err)
	}
	return run
}
