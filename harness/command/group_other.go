//go:build !linux

package command

import (
	"os/exec"
	"syscall"
)

// Group does nothing but on Linux.
func Group(*exec.Cmd, syscall.Signal) {}

// SignalGroup ends the command, but on Linux, and not what it started.
func SignalGroup(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Process.Kill() }

// Detach does nothing but on Linux.
func Detach(*exec.Cmd) {}
