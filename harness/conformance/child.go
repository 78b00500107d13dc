package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	"rollcall/harness/cluster"
)

// A suiteRun is one suite in one mode.
type suiteRun struct{ mode, suite string }

// suiteTimeout bounds one suite in one mode; a suite then ends by itself, with its evidence. Not normative.
const suiteTimeout = 2 * time.Hour

// lastLines is how many are printed of what a suite said that did not run to its end.
const lastLines = 20

// suite runs one compiled suite. That scenarios failed is for the report to say, see unexplained; an error is that the suite
// did not run to its end, of which its last lines are printed.
func (r *run) suite(ctx context.Context, out, lines io.Writer, mode, suite string, env []string) error {
	cmd := r.child(ctx, mode, suite, "-test.v", "-test.timeout="+suiteTimeout.String(), "-out="+r.runner.Out)
	cmd.Env = append(cmd.Env, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	last := &tail{to: lines, lines: lastLines}
	cmd.Stdout, cmd.Stderr = last, last
	runtime.LockOSThread() // the kernel takes the end of the thread that started a child for its parent's
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.failed = append(r.failed, suiteRun{mode, suite})
		return nil
	}
	if err == nil {
		return nil
	}
	if ctx.Err() == nil && !r.Verbose {
		fmt.Fprintf(out, "the last lines of suite %s in %s:\n%s\n", suite, mode, last)
	}
	return fmt.Errorf("suite %s did not run to its end: %w", suite, err)
}

// child is the program of a suite, which does in one mode what was asked of us.
func (r *run) child(ctx context.Context, mode, suite string, more ...string) *exec.Cmd {
	home := r.runner.Layout()
	cmd := exec.CommandContext(ctx, home.Program(suite), append(r.flags(mode), more...)...)
	cmd.Dir, cmd.Env = home.Folder, append(os.Environ(), r.env...)
	return cmd
}

// flags make a suite do what was asked of us, in a mode.
func (r *run) flags(mode string) []string {
	args := []string{"-k8s=" + r.runner.Version(), fmt.Sprintf("-agents-per-node=%d", r.runner.Agents()), "-profile=" + string(r.runner.ProfileName()),
		fmt.Sprintf("-jobs=%d", r.runner.FirstJobs())}
	if slices.Contains(cluster.Modes(), mode) {
		args = append(args, "-modes="+mode)
	}
	if r.runner.App != "" {
		args = append(args, "-app="+r.runner.App)
	}
	if r.Pattern != "" {
		args = append(args, "-test.run=/"+mode+"/("+r.Pattern+")")
	}
	return append(args, r.runner.Args()...)
}
