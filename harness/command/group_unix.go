//go:build unix && !linux

package command

import (
	"os/exec"
	"syscall"
)

// Group has a command lead a process group of its own, which Ctrl-C does not reach; it gets no signal when this process ends.
func Group(cmd *exec.Cmd, _ syscall.Signal) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// SignalGroup sends a signal to a command of [Group], and to all that it started.
func SignalGroup(cmd *exec.Cmd, s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }

// Detach has a command outlive this process and its terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
