package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/host"
	"rollcall/harness/lock"
)

// turns hands out a cluster to recordings, to as many at a time as the run allows. The test processes of all suites share the
// cluster: a turn is a lock file, so that a process that dies releases it. Within a process the longest recording goes first.
type turns struct {
	dir        string
	session    string // run folder
	oneService bool   // at a time can be reached from outside

	mu      sync.Mutex
	waiting []*waiter
}

type waiter struct {
	occupancy harness.Occupancy
	expected  time.Duration
	first     chan struct{} // closed when no waiter with the same occupancy is ahead of it in this process
}

// retryEvery is how often a free turn is looked for; recordings take tens of seconds.
const retryEvery = 200 * time.Millisecond

// What recordings take of this machine, and how many there are at most: a pod that starts waits as long as it works, so that 3
// keep 2 cores busy. 3 idle nodes have about 2 GiB; the pods of a recording
// have limits of 128 MiB each.
const (
	memoryPerCluster = 3 << 30 // bytes
	memoryPerJob     = 1 << 30 // bytes
	coresPerMode     = 4
	mostJobs         = 16
)

// modesAtOnce is how many clusters this machine carries with recordings on each.
func modesAtOnce(modes int) int {
	return max(1, min(modes, runtime.NumCPU()/coresPerMode, int(host.MemoryFree()/(memoryPerCluster+4*memoryPerJob))))
}

// foundJobs is how many recordings go on side by side on each of so many clusters unless the options say. What nodes of
// somebody else's carry is not to be seen from here.
func foundJobs(clusters int, attached bool) int {
	if attached {
		return min(3, max(1, runtime.NumCPU()*3/2))
	}
	memory := host.MemoryFree()/int64(clusters) - memoryPerCluster
	return min(mostJobs, max(1, min(runtime.NumCPU()/clusters*3/2, int(memory/memoryPerJob))))
}

// newTurns are those of a mode's cluster in the run of a folder.
func newTurns(mode, folder string, oneService bool) (*turns, error) {
	dir, err := turnsOf(folder)
	return &turns{dir: filepath.Join(dir, mode), session: folder, oneService: oneService}, err
}

// turnsOf is where the processes of the run of a folder agree about turns; not in that folder, which is kept.
func turnsOf(folder string) (string, error) {
	dir, err := host.StateDir()
	return filepath.Join(dir, "turns", fmt.Sprintf("%x", sha256.Sum256([]byte(folder)))[:16]), err
}

// RemoveTurns removes what the processes of the run of a folder had to agree about, when none is under way.
func RemoveTurns(folder string) error {
	dir, err := turnsOf(folder)
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// acquire waits for a turn, which lasts until release.
func (t *turns) acquire(ctx context.Context, s harness.Occupancy, expected time.Duration) (release func() error, err error) {
	w := t.enqueue(s, expected)
	defer t.dequeue(w)
	select {
	case <-w.first:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	for {
		held, err := t.try(s)
		if err != nil || held != nil {
			return held.release, err
		}
		select {
		case <-time.After(retryEvery):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (t *turns) enqueue(s harness.Occupancy, expected time.Duration) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := &waiter{occupancy: s, expected: expected, first: make(chan struct{})}
	t.waiting = append(t.waiting, w)
	// One that is first already stays so: it may be about to take its turn.
	slices.SortStableFunc(t.waiting, func(a, b *waiter) int { return cmp.Compare(b.rank(), a.rank()) })
	t.callFirst()
	return w
}

func (t *turns) dequeue(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = slices.DeleteFunc(t.waiting, func(x *waiter) bool { return x == w })
	t.callFirst()
}

// callFirst lets the first of each occupancy try for a turn.
func (t *turns) callFirst() {
	seen := map[harness.Occupancy]bool{}
	for _, w := range t.waiting {
		if !seen[w.occupancy] && !w.called() {
			close(w.first)
		}
		seen[w.occupancy] = true
	}
}

func (w *waiter) called() bool {
	select {
	case <-w.first:
		return true
	default:
		return false
	}
}

func (w *waiter) rank() time.Duration {
	if w.called() {
		return time.Duration(1<<63 - 1)
	}
	return w.expected
}

// held are the lock files of a turn.
type held []*lock.Lock

func (h held) release() error {
	var failed error
	for _, l := range h {
		failed = errors.Join(failed, l.Release())
	}
	return failed
}

// try gives a turn if one is free; nil if none is.
func (t *turns) try(s harness.Occupancy) (held, error) {
	var session evidence.Session
	if err := store.ReadJSON(evidence.SessionPath(t.session), &session); err != nil {
		return nil, err
	}
	jobs, most := max(1, session.Jobs), max(session.Jobs, session.MostJobs, 1)
	switch s {
	case harness.WholeCluster:
		// All that anybody could have, also before their number was lowered, and nobody's namespaces are being cleaned up.
		jobs, err := t.all("job", 0, mostJobs)
		if jobs == nil {
			return nil, err
		}
		cleanups, err := t.all("cleanup", 0, mostJobs)
		if cleanups == nil {
			return nil, errors.Join(err, jobs.release())
		}
		return append(jobs, cleanups...), nil
	case harness.LoneLoad:
		// All that anybody under load could have.
		loads, err := t.all("load", 0, mostJobs)
		if loads == nil {
			return nil, err
		}
		return t.beside(loads, jobs, most)
	case harness.UnderLoad:
		load, err := t.oneOf("load", loadsOf(jobs))
		if load == nil {
			return nil, err
		}
		return t.beside(held{load}, jobs, most)
	case harness.FromOutside:
		way, err := t.wayIn(held{})
		if way == nil {
			return nil, err
		}
		job, err := t.withoutLoad(jobs, most)
		if job == nil {
			return nil, errors.Join(err, way.release())
		}
		return append(way, job...), nil
	case harness.WithoutLoad:
	}
	return t.withoutLoad(jobs, most)
}

// wayIn adds the way from outside to a turn, where only one Service at a time can be reached on it; else it gives the turn back.
func (t *turns) wayIn(turn held) (held, error) {
	if !t.oneService {
		return turn, nil
	}
	way, err := t.all("outside", 0, 1)
	if way == nil {
		return nil, errors.Join(err, turn.release())
	}
	return append(turn, way...), nil
}

// withoutLoad is a turn of one of so many jobs, or, where nothing is under load, of more.
func (t *turns) withoutLoad(jobs, most int) (held, error) {
	job, err := t.oneOf("job", jobs)
	if err != nil {
		return nil, err
	}
	if job != nil {
		return held{job}, nil
	}
	// Whoever comes sees the other: this one has its job before it looks for loads, and one under load its load before it looks for
	// jobs.
	if job, err = t.oneOf("job", most); job == nil {
		return nil, err
	}
	loads, err := t.all("load", 0, loadsOf(most))
	if loads == nil {
		return nil, errors.Join(err, job.Release())
	}
	return held{job}, loads.release()
}

// beside adds the way from outside and one of so many jobs to the turn of a recording under load, if nobody has a job beyond them; else
// it gives the turn back, and there is none.
func (t *turns) beside(loads held, jobs, most int) (held, error) {
	loads, err := t.wayIn(loads)
	if loads == nil {
		return nil, err
	}
	job, err := t.oneOf("job", jobs)
	if job == nil {
		return nil, errors.Join(err, loads.release())
	}
	others, err := t.all("job", jobs, most)
	if others == nil && most > jobs {
		return nil, errors.Join(err, job.Release(), loads.release())
	}
	return append(loads, job), others.release()
}

// all has every lock of a kind, from one to below another; nil if somebody has one of them.
func (t *turns) all(kind string, from, below int) (held, error) {
	var all held
	for i := from; i < below; i++ {
		one, err := t.lock(fmt.Sprintf("%s-%d", kind, i))
		if one == nil {
			return nil, errors.Join(err, all.release())
		}
		all = append(all, one)
	}
	return all, nil
}

// loadsOf is how many of the recordings that go on side by side may be under load.
func loadsOf(jobs int) int { return max(1, (jobs+1)/2) }

func (t *turns) oneOf(kind string, n int) (*lock.Lock, error) {
	for i := range n {
		if l, err := t.lock(fmt.Sprintf("%s-%d", kind, i)); l != nil || err != nil {
			return l, err
		}
	}
	return nil, nil
}

// cleanup is held while a recording is cleaned up behind the next one; nil if as many are as there may be.
func (t *turns) cleanup() (*lock.Lock, error) { return t.oneOf("cleanup", mostJobs) }

// lock holds one lock file; nil if somebody has it.
func (t *turns) lock(name string) (*lock.Lock, error) {
	l, err := lock.Try(filepath.Join(t.dir, name))
	if errors.Is(err, lock.ErrHeld) {
		return nil, nil
	}
	return l, err
}
