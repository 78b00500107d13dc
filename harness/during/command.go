package during

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"example.com/rollcall/harness/command"
)

// A userCommand is the user's command. It has a process group of its own and no terminal, so that Ctrl-C reaches it only through us.
type userCommand struct {
	args, env   []string
	in          *os.File // nil: no input
	out, errOut io.Writer
}

// notRun is the exit code of shells for a command that could not be started.
const notRun = 126

// notFound is that for a command that there is not.
const notFound = 127

// run runs the command to its end and returns its exit code, as shells do. When ctx ends, its process group gets SIGTERM. Before the
// command starts, run calls starting with a function that sends the group a signal.
func (c userCommand) run(ctx context.Context, starting func(signal func(syscall.Signal))) (code int) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = c.env
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
	runtime.LockOSThread() // for Pdeathsig, the end of the thread that started a child is the end of its parent
	defer runtime.UnlockOSThread()
	starting(group)
	err := cmd.Start()
	close(started)
	if err != nil {
		fmt.Fprintln(c.errOut, err)
		return notRun
	}
	_ = cmd.Wait() // the exit code is read below
	if ctx.Err() != nil {
		group(syscall.SIGKILL) // for children that did not end
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
