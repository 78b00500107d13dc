package command

import (
	"os/exec"
	"syscall"
)

// Group does nothing on Windows.
func Group(*exec.Cmd, syscall.Signal) {}

// SignalGroup kills the command, but not its children: Windows has no signals.
func SignalGroup(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Process.Kill() }

// Detach does nothing on Windows.
func Detach(*exec.Cmd) {}
