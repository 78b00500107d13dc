package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// Processors are shared out so that a generator has one to itself, which is also how many the Go runtime then
// takes itself to have.
type processors struct {
	generator unix.CPUSet // one
	rest      unix.CPUSet
}

// share shares out the processors this process may use.
func share() (processors, error) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return processors{}, fmt.Errorf("read processors: %w", err)
	}
	if all.Count() < 2 {
		return processors{}, errors.New("share processors: there is one, a generator and the app need two")
	}
	p := processors{rest: all}
	first := 0
	for !all.IsSet(first) {
		first++
	}
	p.generator.Set(first)
	p.rest.Clear(first)
	return p, nil
}

// confine moves every thread of this process; those to come inherit it.
func confine(set unix.CPUSet) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("confine to processors: %w", err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err == nil {
			err = unix.SchedSetaffinity(id, &set)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("confine thread %s to processors: %w", thread.Name(), err)
		}
	}
	return nil
}

// startOn starts a command on processors of its own, which it inherits from the thread that starts it.
func startOn(set unix.CPUSet, cmd *exec.Cmd) error {
	runtime.LockOSThread()
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("read processors: %w", err)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("choose processors: %w", err)
	}
	started := cmd.Start()
	if err := unix.SchedSetaffinity(0, &before); err != nil {
		return fmt.Errorf("return to processors: %w", err) // the thread stays locked, and ends with its goroutine
	}
	runtime.UnlockOSThread()
	return started
}
