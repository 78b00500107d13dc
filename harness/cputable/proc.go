package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A proc is a /proc.
type proc struct {
	folder string
	self   int // PID of this program
	known  map[process]command
}

// A process is told from a later one of the same PID by when it started, in ticks since boot.
type process struct {
	pid     int
	started uint64
}

// A reading is the processor time spent until a time, in ticks.
type reading struct {
	at         time.Time
	processes  map[process]used
	busy       uint64 // of all processors, softirqs included
	softirq    uint64 // and interrupts
	stolen     uint64
	processors int
}

// A used is what a process spent, and what it is.
type used struct {
	group       group
	name        string
	ticks       uint64
	hostProgram bool
}

// ticksPerSecond is USER_HZ, in which Linux gives times on every architecture that Go knows.
const ticksPerSecond = 100

// read reads all processes. Those that end meanwhile are left out.
func (p *proc) read() (reading, error) {
	r, err := p.machine()
	if err != nil {
		return r, err
	}
	entries, err := os.ReadDir(p.folder)
	if err != nil {
		return r, err
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		id, comm, ticks, err := p.stat(pid)
		if gone(err) {
			continue
		}
		if err != nil {
			return r, err
		}
		c, known := p.known[id]
		if !known || c.comm != comm { // it may have become another program
			if c, err = p.command(pid, comm); gone(err) {
				continue
			} else if err != nil {
				return r, err
			}
			if p.known == nil {
				p.known = map[process]command{}
			}
			p.known[id] = c
		}
		u := used{c.group(), c.name(), ticks, c.hostProgram()}
		if pid == p.self {
			u.group = itself
		}
		r.processes[id] = u
	}
	return r, nil
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// machine reads /proc/stat.
func (p *proc) machine() (reading, error) {
	file := filepath.Join(p.folder, "stat")
	r := reading{at: time.Now(), processes: map[process]used{}}
	data, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 9 || !strings.HasPrefix(fields[0], "cpu"):
		case fields[0] != "cpu":
			r.processors++
		default: // user nice system idle iowait irq softirq steal
			var ticks [8]uint64
			for i := range ticks {
				if ticks[i], err = strconv.ParseUint(fields[i+1], 10, 64); err != nil {
					return r, fmt.Errorf("read %s: %w", file, err)
				}
			}
			r.softirq, r.stolen = ticks[5]+ticks[6], ticks[7]
			r.busy = ticks[0] + ticks[1] + ticks[2] + r.softirq
		}
	}
	if r.processors == 0 {
		return r, fmt.Errorf("read %s: no processor in it", file)
	}
	return r, nil
}

// stat reads /proc/<pid>/stat.
func (p *proc) stat(pid int) (id process, comm string, ticks uint64, err error) {
	file := filepath.Join(p.folder, strconv.Itoa(pid), "stat")
	data, err := os.ReadFile(file)
	if err != nil {
		return id, "", 0, err
	}
	// The name is in parentheses and may have some itself. Fields are counted from 3, the first behind it.
	from, to := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if from < 0 || to < from {
		return id, "", 0, fmt.Errorf("read %s: no name in it", file)
	}
	fields := strings.Fields(string(data[to+1:]))
	if len(fields) < 20 {
		return id, "", 0, fmt.Errorf("read %s: only %d fields follow the name", file, len(fields))
	}
	var numbers [3]uint64
	for i, field := range [3]int{14, 15, 22} { // utime, stime, starttime
		if numbers[i], err = strconv.ParseUint(fields[field-3], 10, 64); err != nil {
			return id, "", 0, fmt.Errorf("read %s: %w", file, err)
		}
	}
	return process{pid, numbers[2]}, string(data[from+1 : to]), numbers[0] + numbers[1], nil
}

// command reads what a process runs.
func (p *proc) command(pid int, comm string) (command, error) {
	c := command{comm: comm}
	folder := filepath.Join(p.folder, strconv.Itoa(pid))
	line, err := os.ReadFile(filepath.Join(folder, "cmdline"))
	if err != nil {
		return c, err
	}
	if len(line) > 0 {
		c.args = strings.Split(string(bytes.TrimRight(line, "\x00")), "\x00")
	}
	status, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		return c, err
	}
	for line := range strings.Lines(string(status)) {
		if pids, found := strings.CutPrefix(line, "NSpid:"); found {
			c.inNode = len(strings.Fields(pids)) > 1
		}
	}
	return c, nil
}
