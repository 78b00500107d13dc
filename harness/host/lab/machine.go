package lab

import (
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

	"example.com/rollcall/harness/command"
)

// A machine is a User-Mode Linux process with its disks.
type machine struct {
	kernel string // program
	root   string // disk with the system, as a value of the kernel's parameter ubd
	docker string // disk with the engine's store, likewise
	shared string // folder of the host that the guest sees as /lab; it sees no other
}

// memory is the size of the machine's memory. It takes only as much of the host's as the machine uses.
const memory = 8 << 30

// copyOnWrite returns the value of ubd for a disk whose changes are written to another file.
func copyOnWrite(changes, disk string) string { return changes + "," + disk }

// Files in the shared folder by which host and guest communicate.
const (
	aliveFile  = "alive"
	codeFile   = "code"
	stopFile   = "stop"
	scriptFile = "task.sh"
	engineLog  = "dockerd.log"
)

// errSilent is the error of a machine that showed no sign of life.
var errSilent = fmt.Errorf("the lab showed no sign of life for %v", silenceTimeout)

// run boots the machine, runs a shell script in it, waits until the machine is off, and returns the script's exit code. The
// console's output goes to out. When ctx ends it interrupts the script. It kills a machine that hangs or does not stop.
func (m machine) run(ctx context.Context, out io.Writer, script string) (code int, err error) {
	for _, file := range []string{aliveFile, codeFile, stopFile} {
		if err := os.RemoveAll(m.file(file)); err != nil {
			return 0, err
		}
	}
	if err := os.WriteFile(m.file(scriptFile), []byte(script), 0o644); err != nil {
		return 0, err
	}
	args := []string{"--core=0", m.kernel, // a kernel that panics aborts
		"mem=" + strconv.Itoa(memory>>20) + "M", "ubd0=" + m.root, "ubd1=" + m.docker, "root=/dev/ubda", "rw", "init=/sbin/lab-init",
		"hostfs=" + m.shared, "con0=fd:0,fd:1", "con=null", "seccomp=auto",
		"quiet", "loglevel=5", // still prints the registers at a panic
		"sysctl.net.core.message_burst=0",   // else ipvs prints a line for each connection that it refuses
		"ipv6.disable=1",                    // else kube-proxy writes all its rules twice, which takes seconds here
		"uml_dir=" + filepath.Dir(m.shared)} // for the file with its pid
	cmd := exec.Command("prlimit", args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+memoryFolder())
	cmd.Stdout, cmd.Stderr = out, out
	command.Group(cmd, syscall.SIGKILL)
	cmd.WaitDelay = outputTimeout
	if _, err := cmd.StdinPipe(); err != nil { // the kernel cannot wait for input from /dev/null
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended, gone := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(gone)
		err := cmd.Wait()
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		ended <- err
	}()
	err = m.watch(ctx, ended)
	_ = command.SignalGroup(cmd, syscall.SIGKILL) // the guest's processes are processes of the host
	<-gone
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(m.file(codeFile))
	if err != nil {
		return 0, fmt.Errorf("the lab stopped before its script had ended: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// watch waits until the machine is off, or returns the error for which it has to be killed.
func (m machine) watch(ctx context.Context, ended <-chan error) error {
	booted := time.Now()
	interrupted := ctx.Done()
	var stop <-chan time.Time
	for {
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("the lab's kernel ended: %w", err)
			}
			return context.Cause(ctx)
		case <-interrupted:
			interrupted, stop = nil, time.After(stopTimeout)
			if err := os.WriteFile(m.file(stopFile), nil, 0o644); err != nil {
				return err
			}
		case <-stop:
			return fmt.Errorf("%w, and the lab did not stop in %v", context.Cause(ctx), stopTimeout)
		case <-time.After(time.Second):
			seen := booted
			if info, err := os.Stat(m.file(aliveFile)); err == nil {
				seen = info.ModTime()
			}
			if time.Since(seen) > silenceTimeout {
				return errSilent
			}
		}
	}
}

func (m machine) file(name string) string { return filepath.Join(m.shared, name) }
