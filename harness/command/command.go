// Package command runs other programs, given as a command line, and returns their standard output. When the
// context ends, it ends their process group. It also finds the capabilities that no program can have on this host.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/vladimirvivien/gexe/exec"
)

// A Command is one program to run.
type Command struct {
	Line   string    // program and arguments; quotes group words, there is no shell
	Args   []string  // further arguments, as they are
	Dir    string    // working directory; empty: ours
	Env    []string  // KEY=value, added to our environment
	Stdin  io.Reader // may be nil
	Log    io.Writer // receives all output, as it comes; may be nil
	Stderr io.Writer // receives standard error alone, as it comes; may be nil
	// Awaited has the program end by itself when the context ends: it gets SIGTERM, and Run waits as long as it takes.
	Awaited bool
}

// An Error is the error of a program that could not be run or did not succeed.
type Error struct {
	Line   string
	Output string // combined stdout and stderr
	Err    error
}

// Error returns the command, the cause and the last lines of the output.
func (e *Error) Error() string {
	message := fmt.Sprintf("%s: %v", e.Line, e.Err)
	if last := LastLines(e.Output, 5); last != "" {
		message += ": " + last
	}
	return message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Run runs a command line and returns its standard output without surrounding white space.
func Run(ctx context.Context, format string, args ...any) (string, error) {
	return Command{Line: fmt.Sprintf(format, args...)}.Run(ctx)
}

// Run runs the command and returns its standard output without surrounding white space. Its standard error is only in the
// error and the log. When ctx ends, Run kills the process group unless c.Awaited says otherwise, and the error wraps ctx's cause.
func (c Command) Run(ctx context.Context) (string, error) {
	if strings.TrimSpace(c.Line) == "" { // gexe panics on it
		return "", &Error{Err: errors.New("empty command line")}
	}
	var stdout, combined strings.Builder
	proc := exec.NewProcWithContext(ctx, c.Line)
	if proc.Err() != nil {
		return "", &Error{Line: c.Line, Err: proc.Err()}
	}
	cmd := proc.Command()
	cmd.Args = append(cmd.Args, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdin = c.Stdin
	all := &lockedWriter{to: &combined}
	if c.Log != nil {
		all.to = io.MultiWriter(&combined, c.Log)
	}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, all), all
	if c.Stderr != nil {
		cmd.Stderr = io.MultiWriter(all, c.Stderr)
	}
	Group(cmd, syscall.SIGKILL)
	cmd.Cancel = func() error { return SignalGroup(cmd, syscall.SIGKILL) }
	cmd.WaitDelay = outputTimeout
	if c.Awaited {
		cmd.Cancel = func() error { return SignalGroup(cmd, syscall.SIGTERM) }
		cmd.WaitDelay = 0
	}
	err := cmd.Run()
	text := strings.TrimSpace(stdout.String())
	if err != nil {
		line := strings.Join(append([]string{c.Line}, c.Args...), " ")
		return text, &Error{Line: line, Output: strings.TrimSpace(combined.String()), Err: errors.Join(err, context.Cause(ctx))}
	}
	return text, nil
}

// A lockedWriter is a writer for the two copying goroutines of os/exec.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// LastLines returns the last n lines of text, joined by " | ".
func LastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}

// LastLine returns the last line that a failed command printed or, for any other error, its text.
func LastLine(err error) string {
	var failed *Error
	if errors.As(err, &failed) && failed.Output != "" {
		return LastLines(failed.Output, 1)
	}
	return err.Error()
}
