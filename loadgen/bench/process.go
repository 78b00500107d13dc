package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grace is how long a process may take to end once told to.
const grace = 5 * time.Second

// A process is one that this program started.
type process struct {
	name  string
	cmd   *exec.Cmd
	words bytes.Buffer // its standard error
}

// A program is what a process is started from.
type program struct {
	path string
	args []string
	env  []string  // all of it: GOGC, say, or a proxy of this process's would be measured
	out  io.Writer // standard output; nil: discarded
}

// start starts a program on its processors. It gets SIGTERM when ctx is done.
func (prog program) start(ctx context.Context, on unix.CPUSet) (*process, error) {
	p := &process{name: filepath.Base(prog.path), cmd: exec.CommandContext(ctx, prog.path, prog.args...)}
	p.cmd.Env = append([]string{}, prog.env...) // nil would be this process's
	p.cmd.Stdout, p.cmd.Stderr = prog.out, &p.words
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = grace
	if err := startOn(on, p.cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	return p, nil
}

// wait returns when the process has ended by itself; what it printed to standard error is part of the error.
func (p *process) wait() error {
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w: %s", p.name, err, bytes.TrimSpace(p.words.Bytes()))
	}
	return nil
}

// end tells the process to end, and returns when it has. How it ends does not matter.
func (p *process) end() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end %s: %w", p.name, err)
	}
	timer := time.AfterFunc(grace, func() { _ = p.cmd.Process.Kill() }) // an error is a process that has ended
	defer timer.Stop()
	return p.ended()
}

// kill ends the process at once.
func (p *process) kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	return p.ended()
}

func (p *process) ended() error {
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("wait for the end of %s: %w", p.name, err)
	}
	return nil
}

// used is the processor time, user and system, of a process that has ended.
func (p *process) used() time.Duration {
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// peak is the most memory that was resident of a process that runs, in bytes.
func (p *process) peak() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return parsePeak(string(status))
}

// parsePeak reads the line "VmHWM: 12345 kB" of /proc/PID/status.
func parsePeak(status string) (int64, error) {
	for line := range strings.Lines(status) {
		value, ok := strings.CutPrefix(line, "VmHWM:")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read peak of memory: %w", err)
		}
		return n << 10, nil
	}
	return 0, errors.New("read peak of memory: there is no VmHWM")
}
