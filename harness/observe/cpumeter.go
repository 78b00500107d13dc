package observe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/rollcall/harness/evidence"
)

// CPUWaitSources says which processes to measure, and where the results go.
type CPUWaitSources struct {
	Proc  string                                   // where procfs is mounted; empty: /proc
	Nodes map[string]string                        // container id -> name of the node
	Pod   func(uid string) (evidence.Server, bool) // returns a pod of the recording by its uid; other pods are not measured
	Began time.Time                                // of the recording: times are offsets from it
	Note  func(evidence.Event)
}

// Periods of a CPUMeter. With 330 threads of three idle nodes it uses 1.2 % of a processor, a third of it to find new threads.
const (
	sampleEvery = 100 * time.Millisecond
	searchEvery = time.Second
	// holdBack is how long a sample is kept before it is noted. The kernel counts a wait when it ends, and it is then
	// spread over the samples in which it happened.
	holdBack = 20 * time.Second
)

// A CPUMeter measures until Stop how long the processes of kind nodes waited for a processor of this host, which distinguishes a
// slow host from a slow cluster.
//
// The kernel counts for each thread how long it was on a run queue (second number of /proc/<pid>/task/<tid>/schedstat,
// Documentation/scheduler/sched-stats.rst). A thread that sleeps, is stopped or waits for a lock is not on one, and
// so a pod that is stopped or deadlocked does not wait. A thread throttled by a CPU limit of its own pod is on one, too: the
// throttled time of the cgroup (cpu.stat) is subtracted, and noted separately.
//
// The meter notes an [evidence.CPUWait] of a process, in a pod's container, kubelet or the control plane, for each stretch of
// time in which it waited for about the same share of the time. In each sample the thread that waited longest counts, even if
// other threads of the process ran.
type CPUMeter struct {
	sources   CPUWaitSources
	processes map[int]*process // by pid
	waits     map[program]*waits
	ends      []time.Duration // of the samples held back
	searched  time.Duration
	stop      chan struct{}
	done      chan struct{}
}

// MeasureCPUWait begins to measure. It returns an error if the kernel does not count waits.
func MeasureCPUWait(s CPUWaitSources) (*CPUMeter, error) {
	if s.Proc == "" {
		s.Proc = "/proc"
	}
	if _, err := os.Stat(filepath.Join(s.Proc, "self", "schedstat")); err != nil {
		return nil, fmt.Errorf("this kernel does not count how long processes wait for a processor: %w", err)
	}
	m := &CPUMeter{sources: s, processes: map[int]*process{}, waits: map[program]*waits{}, ends: []time.Duration{time.Since(s.Began)},
		searched: -searchEvery, stop: make(chan struct{}), done: make(chan struct{})}
	s.Note(evidence.Event{At: m.ends[0], Kind: evidence.CPUWaitBegun})
	go m.run()
	return m, nil
}

// Stop ends the measurement and returns when all of it is noted.
func (m *CPUMeter) Stop() {
	if m == nil {
		return
	}
	close(m.stop)
	<-m.done
}

func (m *CPUMeter) run() {
	defer close(m.done)
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			m.sample(time.Since(m.sources.Began))
			m.flush(len(m.ends) - 1)
			for _, p := range m.processes {
				p.close()
			}
			return
		case <-tick.C:
			now := time.Since(m.sources.Began)
			m.sample(now)
			m.flush(m.old(now - holdBack))
		}
	}
}

func (m *CPUMeter) sample(now time.Duration) {
	if now-m.searched >= searchEvery {
		m.search()
		m.searched = now
	}
	m.ends = append(m.ends, now)
	for _, p := range m.processes {
		if p.folder == "" {
			continue
		}
		of := m.waits[p.program]
		if of == nil {
			of = &waits{}
			m.waits[p.program] = of
		}
		throttled := p.throttled()
		of.throttled = keepLongest(of.throttled, m.ends, throttled)
		for tid, t := range p.threads {
			waited, err := t.waited()
			if err != nil { // it ended
				t.close()
				delete(p.threads, tid)
				continue
			}
			of.waited = keepLongest(of.waited, m.ends, waited-throttled)
		}
	}
}

// old returns how many samples ended before a moment, or 0 if those are fewer than many.
func (m *CPUMeter) old(before time.Duration) int {
	const many = 50
	n := 0
	for n+1 < len(m.ends) && m.ends[n+1] < before {
		n++
	}
	if n < many {
		return 0
	}
	return n
}

// flush notes the first n samples of all processes.
func (m *CPUMeter) flush(n int) {
	if n <= 0 {
		return
	}
	for of, all := range m.waits {
		for _, kind := range []struct {
			kind evidence.EventKind
			of   *[]time.Duration
		}{{evidence.CPUWait, &all.waited}, {evidence.CPUThrottled, &all.throttled}} {
			first := (*kind.of)[:min(n, len(*kind.of))]
			for _, s := range stretches(m.ends, first) {
				m.sources.Note(evidence.Event{At: s.to, For: s.to - s.from, Kind: kind.kind, By: of.pod, Object: of.node,
					Count: int(s.sum.Milliseconds()), Detail: of.name})
			}
			*kind.of = (*kind.of)[len(first):]
		}
		if len(all.waited) == 0 && len(all.throttled) == 0 {
			delete(m.waits, of)
		}
	}
	m.ends = m.ends[n:]
}

// errEnded says that a thread has ended.
var errEnded = errors.New("it has ended")
