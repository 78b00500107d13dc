package run

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/host"
)

// turns gives recordings turns on a cluster, as many at a time as the run allows. Of those that can go next, the one with the longest
// expected duration goes first.
type turns struct {
	limits     func() (jobs, most int) // recordings side by side, if one is under load and if none is
	oneService bool                    // only one Service at a time can be reached from outside

	mu      sync.Mutex
	waiting []*waiter // the longest first
	// How many are under way: recordings, those of them under load, and cleanups that run behind recordings. A recording that needs the
	// whole cluster counts as mostJobs recordings, one that needs all of the load as mostJobs under load.
	jobs, loads, cleanups int
	outside               bool // a recording has the one Service that can be reached from outside
	recordings            map[string]*shared
}

type waiter struct {
	occupancy harness.Occupancy
	expected  time.Duration
	turn      chan struct{} // closed when the turn comes
}

// What recordings take of this machine, and how many there are at most. A pod that starts waits as long as it works, so 3 recordings
// keep 2 cores busy. 3 idle nodes have about 2 GiB; the pods of a recording
// have limits of 128 MiB each.
const (
	memoryPerCluster = 3 << 30 // bytes
	memoryPerJob     = 1 << 30 // bytes
	coresPerMode     = 4
	mostJobs         = 16
)

// modesAtOnce returns on how many clusters at a time this machine can record.
func modesAtOnce(modes int) int {
	return max(1, min(modes, runtime.NumCPU()/coresPerMode, int(host.MemoryFree()/(memoryPerCluster+4*memoryPerJob))))
}

// foundJobs returns the default for how many recordings may run side by side on each of the clusters. What the nodes of an
// attached cluster can carry is unknown, so at most 3 run there.
func foundJobs(clusters int, attached bool) int {
	if attached {
		return min(3, max(1, runtime.NumCPU()*3/2))
	}
	memory := host.MemoryFree()/int64(clusters) - memoryPerCluster
	return min(mostJobs, max(1, min(runtime.NumCPU()/clusters*3/2, int(memory/memoryPerJob))))
}

// loadsOf returns how many of the recordings side by side may be under load.
func loadsOf(jobs int) int { return max(1, (jobs+1)/2) }

// acquire waits for a turn; the caller ends it with release.
func (t *turns) acquire(ctx context.Context, o harness.Occupancy, expected time.Duration) (release func(), err error) {
	w := &waiter{o, expected, make(chan struct{})}
	t.change(func() {
		t.waiting = append(t.waiting, w)
		slices.SortStableFunc(t.waiting, func(a, b *waiter) int { return cmp.Compare(b.expected, a.expected) })
	})
	release = func() { t.change(func() { t.count(o, -1) }) }
	select {
	case <-w.turn:
		return release, nil
	case <-ctx.Done():
	}
	had := true
	t.change(func() {
		i := slices.Index(t.waiting, w)
		if had = i < 0; !had {
			t.waiting = slices.Delete(t.waiting, i, i+1)
		}
	})
	if had {
		release()
	}
	return nil, context.Cause(ctx)
}

// change edits the state, and then gives turns to all waiters that can have one.
func (t *turns) change(edit func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	edit()
	t.waiting = slices.DeleteFunc(t.waiting, func(w *waiter) bool {
		free := t.free(w.occupancy)
		if free {
			t.count(w.occupancy, 1)
			close(w.turn)
		}
		return free
	})
}

// free reports whether a recording of an occupancy can have a turn.
func (t *turns) free(o harness.Occupancy) bool {
	jobs, most := t.limits()
	switch o {
	case harness.WholeCluster:
		return t.jobs == 0 && t.cleanups == 0
	case harness.LoneLoad:
		return t.loads == 0 && t.jobs < jobs && !t.outside
	case harness.HalfLoad:
		return t.loads < loadsOf(jobs) && t.jobs < jobs && !t.outside
	case harness.FromOutside:
		if t.outside {
			return false
		}
	case harness.WithoutLoad:
	}
	return t.jobs < jobs || t.loads == 0 && t.jobs < most
}

// count adds n recordings of an occupancy: 1 for one that begins, -1 for one that ends.
func (t *turns) count(o harness.Occupancy, n int) {
	switch o {
	case harness.WholeCluster:
		t.jobs += n * mostJobs
		return
	case harness.LoneLoad:
		t.loads += n * mostJobs
	case harness.HalfLoad:
		t.loads += n
	case harness.FromOutside, harness.WithoutLoad:
	}
	t.jobs += n
	if o != harness.WithoutLoad {
		t.outside = t.oneService && n > 0
	}
}

// cleanup counts a cleanup that runs behind the next recording, until done is called.
func (t *turns) cleanup() (done func()) {
	t.change(func() { t.cleanups++ })
	return func() { t.change(func() { t.cleanups-- }) }
}
