package command

import (
	"os/exec"
	"syscall"
)

// Group has a command start in a process group of its own, which Ctrl-C does not reach. Unless dies is 0, the command gets that signal
// when the thread that started it ends.
func Group(cmd *exec.Cmd, dies syscall.Signal) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: dies}
}

// SignalGroup sends a signal to the process group of a command of [Group].
func SignalGroup(cmd *exec.Cmd, s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }

// Detach has a command outlive this process and its terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
