//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A load is how busy this node was.
type load struct {
	busy     int // processor time in use, in permille of the time since the last load
	stolen   int // the part of busy that other machines on its host used
	tracked  int // connections in the conntrack table of this network namespace
	capacity int // connections that the table can hold
}

const loadEvery = time.Second

type loadReader struct {
	proc string // where procfs is mounted
	last ticks
}

// ticks are processor time since boot, in units of the kernel's choice.
type ticks struct{ busy, stolen, total uint64 }

// read returns the load since the last call; the first call returns that since boot.
func (r *loadReader) read() (l load, err error) {
	now, err := r.ticks()
	if err != nil {
		return load{}, err
	}
	if passed := growth(r.last.total, now.total); passed > 0 {
		l.busy = int(1000 * growth(r.last.busy, now.busy) / passed)
		l.stolen = int(1000 * growth(r.last.stolen, now.stolen) / passed)
	}
	r.last = now
	var failures [2]error
	l.tracked, failures[0] = r.number("nf_conntrack_count")
	l.capacity, failures[1] = r.number("nf_conntrack_max")
	return l, errors.Join(failures[:]...)
}

// growth returns by how much a counter has grown: 0 if it went back, as some do now and then (proc_stat(5)).
func growth(last, now uint64) uint64 { return max(now, last) - last }

// ticks reads the first line of proc_stat(5): cpu, then the ticks spent in user, nice, system, idle, iowait, irq,
// softirq and steal. The fields after these are included in user.
func (r *loadReader) ticks() (t ticks, err error) {
	stat, err := os.ReadFile(filepath.Join(r.proc, "stat"))
	if err != nil {
		return ticks{}, fmt.Errorf("read load: %w", err)
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 9 || fields[0] != "cpu" {
		return ticks{}, fmt.Errorf("read load: stat begins with %.100q", line)
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return ticks{}, fmt.Errorf("read load: %w", err)
		}
		t.total += n
		switch i {
		case 3, 4: // idle, iowait
			continue
		case 7:
			t.stolen += n
		}
		t.busy += n
	}
	return t, nil
}

// number reads a number of conntrack, or returns 0 on a node without conntrack.
func (r *loadReader) number(name string) (int, error) {
	text, err := os.ReadFile(filepath.Join(r.proc, "sys/net/netfilter", name))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read load: %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read load: %s: %w", name, err)
	}
	return n, nil
}
