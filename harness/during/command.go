package during

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"example.com/rollcall/harness/command"
)

// A userCommand is the user's. It has a process group of its own, so that Ctrl-C reaches it by way of us, and no terminal.
type userCommand struct {
	args, env   []string
	in          *os.File // nil: nothing
	out, errOut io.Writer
}

// endedAfter is how long a command that is told to end may take; it is then killed. What it started and left behind has as long to
// stop printing.
const endedAfter = 10 * time.Second

// notRun is the exit code of a command that could not be started, as shells have it.
const notRun = 126

// run runs the command to its end and gives its exit code, as shells have it. When ctx ends, its process group is told to end. Until
// then whoever gets signal, before the command can print anything, may send that group one.
func (c userCommand) run(ctx context.Context, starting func(signal func(syscall.Signal))) (code int) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	if c.in != nil {
		cmd.Stdin = c.in
	}
	cmd.Stdout, cmd.Stderr = c.out, c.errOut
	command.Group(cmd, syscall.SIGTERM)
	started := make(chan struct{})
	group := func(s syscall.Signal) {
		<-started
		if cmd.Process != nil {
			_ = command.SignalGroup(cmd, s)
		}
	}
	cmd.Cancel = func() error { group(syscall.SIGTERM); return nil }
	cmd.WaitDelay = endedAfter
	runtime.LockOSThread() // the kernel takes the end of the thread that started a child for its parent's
	defer runtime.UnlockOSThread()
	starting(group)
	err := cmd.Start()
	close(started)
	if err != nil {
		fmt.Fprintln(c.errOut, err)
		return notRun
	}
	_ = cmd.Wait() // the exit code says it
	if ctx.Err() != nil {
		group(syscall.SIGKILL) // what of it did not end
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		return notRun
	}
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
