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
)

// A machine is a User-Mode Linux process and what it is given.
type machine struct {
	kernel string // program
	root   string // disk with the system, as the kernel's ubd parameter has it
	docker string // disk of the engine's store, likewise
	jail   string // the one folder of the host that the guest sees, as /lab
}

// memory is the machine's; it takes no more of the host's than it uses.
const memory = 8 << 30

// copyOnWrite is a disk of which what is written goes to another file.
func copyOnWrite(changes, disk string) string { return changes + "," + disk }

// Files of the jail by which the host and the guest talk.
const (
	aliveFile = "alive"
	codeFile  = "code"
	stopFile  = "stop"
	taskFile  = "task.sh"
	engineLog = "dockerd.log"
)

// How long the guest may show no sign of life, and how long it may take to stop when it is told to.
const (
	silencePatience = 60 * time.Second
	stopPatience    = 3 * time.Minute // scenarios that are under way are taken away
	outputPatience  = 5 * time.Second // for what is left of the console when the machine is off
)

// errSilent is the end of a machine that showed no sign of life.
var errSilent = fmt.Errorf("the lab showed no sign of life for %v", silencePatience)

// run boots the machine, runs a task, a shell script, in it and returns the script's exit code when the machine is off.
// What the guest says on its console goes to out. When ctx ends the task is interrupted; a machine that does not stop then,
// or that hangs, is killed.
func (m machine) run(ctx context.Context, out io.Writer, task string) (code int, err error) {
	for _, file := range []string{aliveFile, codeFile, stopFile} {
		if err := os.RemoveAll(m.file(file)); err != nil {
			return 0, err
		}
	}
	if err := os.WriteFile(m.file(taskFile), []byte(task), 0o644); err != nil {
		return 0, err
	}
	args := []string{"--core=0", m.kernel, // a kernel that panics aborts
		"mem=" + strconv.Itoa(memory>>20) + "M", "ubd0=" + m.root, "ubd1=" + m.docker, "root=/dev/ubda", "rw", "init=/sbin/lab-init",
		"hostfs=" + m.jail, "con0=fd:0,fd:1", "con=null", "seccomp=auto",
		"quiet", "loglevel=5", // but a panic comes with its registers
		"sysctl.net.core.message_burst=0", // ipvs has nothing to say of each connection that it refuses
		"ipv6.disable=1",                  // or kube-proxy writes all its rules twice, which takes seconds here
		"uml_dir=" + filepath.Dir(m.jail)} // where it says its pid
	cmd := exec.Command("prlimit", args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+memoryFolder())
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = outputPatience
	if _, err := cmd.StdinPipe(); err != nil { // the kernel cannot wait for what /dev/null has to say
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
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the guest's processes are some of the host's
	<-gone
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(m.file(codeFile))
	if err != nil {
		return 0, fmt.Errorf("the lab went off before its task had ended: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// watch returns when the machine is off, or the error for which it has to be killed.
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
			interrupted, stop = nil, time.After(stopPatience)
			if err := os.WriteFile(m.file(stopFile), nil, 0o644); err != nil {
				return err
			}
		case <-stop:
			return fmt.Errorf("%w, and the lab did not stop in %v", context.Cause(ctx), stopPatience)
		case <-time.After(time.Second):
			seen := booted
			if info, err := os.Stat(m.file(aliveFile)); err == nil {
				seen = info.ModTime()
			}
			if time.Since(seen) > silencePatience {
				return errSilent
			}
		}
	}
}

func (m machine) file(name string) string { return filepath.Join(m.jail, name) }

// memoryFolder is where the kernel keeps the machine's memory, as a file that it opens and removes: in memory, if there is a
// file system for that which has the room and whose files may be run.
func memoryFolder() string {
	const inMemory, noExec = "/dev/shm", 8 // ST_NOEXEC of statfs(2)
	var fs syscall.Statfs_t
	if syscall.Statfs(inMemory, &fs) == nil && fs.Flags&noExec == 0 && fs.Bavail*uint64(fs.Bsize) >= memory {
		return inMemory
	}
	return os.TempDir()
}
