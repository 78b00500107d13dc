package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
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
	cmd := r.child(ctx, mode, suite, "-test.v", "-test.timeout="+suiteTimeout.String())
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
	from, o := r.runner.Layout(), r.runner.Prepared(mode)
	o.Jobs = strconv.Itoa(r.runner.MostJobs()) // as many in each suite, also where we found them out
	args := append(o.List().Args(), more...)
	if r.Pattern != "" {
		args = append(args, "-test.run=/"+mode+"/("+r.Pattern+")")
	}
	cmd := exec.CommandContext(ctx, from.Program(suite), args...)
	cmd.Dir, cmd.Env = from.Folder, append(os.Environ(), r.env...)
	return cmd
}
