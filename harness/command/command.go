// Package command runs other programs: one line in, combined output out, ended with its whole
// process group when the context is.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/vladimirvivien/gexe/exec"
)

// A Command is one program to run.
type Command struct {
	Line  string    // program and arguments; quotes group words, there is no shell
	Dir   string    // working directory; empty: ours
	Env   []string  // KEY=value, added to our environment
	Stdin io.Reader // nil: none
	Log   io.Writer // also receives the output as it comes; nil: none
}

// An Error is a program that could not be run or did not succeed.
type Error struct {
	Line   string
	Output string // combined stdout and stderr
	Err    error
}

// Error names the command, the cause and the last lines it printed.
func (e *Error) Error() string {
	message := fmt.Sprintf("%s: %v", e.Line, e.Err)
	if last := LastLines(e.Output, 5); last != "" {
		message += ": " + last
	}
	return message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Run runs a command line and returns its combined output without surrounding white space.
func Run(ctx context.Context, format string, args ...any) (string, error) {
	return Command{Line: fmt.Sprintf(format, args...)}.Run(ctx)
}

// Run runs the command and returns its combined output without surrounding white space. When ctx
// ends, the command's process group is killed and ctx's cause is in the error.
func (c Command) Run(ctx context.Context) (string, error) {
	if strings.TrimSpace(c.Line) == "" { // gexe panics on it
		return "", &Error{Err: errors.New("empty command line")}
	}
	var output strings.Builder
	proc := exec.NewProcWithContext(ctx, c.Line)
	if proc.Err() != nil {
		return "", &Error{Line: c.Line, Err: proc.Err()}
	}
	cmd := proc.Command()
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdin = c.Stdin
	cmd.Stdout = &output
	if c.Log != nil {
		cmd.Stdout = io.MultiWriter(&output, c.Log)
	}
	cmd.Stderr = cmd.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	text := strings.TrimSpace(output.String())
	if err != nil {
		return text, &Error{Line: c.Line, Output: text, Err: errors.Join(err, context.Cause(ctx))}
	}
	return text, nil
}

// LastLines returns the last n lines of text, joined by " | ".
func LastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
