package host

import (
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// realtime is the round-robin real-time policy at its lowest priority (sched(7)).
var realtime = unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}

// setRealtime gives every thread of a process the real-time policy. process is its folder in /proc.
func setRealtime(process string) error {
	done := make(map[string]bool)
	for {
		threads, err := filepath.Glob(filepath.Join(process, "task", "[0-9]*"))
		if err != nil {
			return err
		}
		before := len(done)
		for _, thread := range threads {
			if done[thread] {
				continue
			}
			id, err := strconv.Atoi(filepath.Base(thread))
			if err != nil {
				return err
			}
			if err := unix.SchedSetAttr(id, &realtime, 0); err != nil && !processGone(err) {
				return err
			}
			done[thread] = true
		}
		if len(done) == before { // a thread that starts from now on inherits the policy
			return nil
		}
	}
}

// checkRealtime returns an error if this process may not set the real-time policy. It tries on one of its own threads.
func checkRealtime() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	was, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return err
	}
	if err := unix.SchedSetAttr(0, &realtime, 0); err != nil {
		return err
	}
	return unix.SchedSetAttr(0, was, 0)
}

// SetRealtime gives a process the real-time policy. If this process may not do so, it does nothing.
func SetRealtime(pid int) error {
	if checkRealtime() != nil {
		return nil
	}
	return setRealtime(filepath.Join("/proc", strconv.Itoa(pid)))
}
