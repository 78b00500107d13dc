package command

import (
	"os/exec"
	"syscall"
)

// Group does nothing on Windows.
func Group(*exec.Cmd, syscall.Signal) {}

// SignalGroup ends the command, and not what it started: Windows has no signals.
func SignalGroup(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Process.Kill() }

// Detach does nothing on Windows.
func Detach(*exec.Cmd) {}
