//go:build !windows

package commands

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Ctrl-C ends a command that waits for input, such as that of a forgotten pipe: nothing has to be cleaned up yet.
func TestCtrlCWhileManifestsAreRead(t *testing.T) {
	if os.Getenv("ROLLCALL_READS") != "" {
		os.Exit(Execute([]string{"try", "-f", "-"}, os.Stdout, os.Stderr))
	}
	if signal.Ignored(os.Interrupt) {
		t.Skip("the tests were started with Ctrl-C ignored, as a shell starts background jobs")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "ROLLCALL_READS=yes")
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const morePipesHold = 1 << 20 // so that it is written only if it is read
	if _, err := io.WriteString(input, strings.Repeat("# comment\n", morePipesHold/10)); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // the state says how it ended
	if ended, _ := cmd.ProcessState.Sys().(syscall.WaitStatus); ended.Signal() != syscall.SIGINT {
		t.Errorf("it ended by %v", cmd.ProcessState)
	}
}
