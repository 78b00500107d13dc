package runner

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

// turns hand out a cluster to recordings, to as many at a time as the run allows. Of those that could go next the longest does.
type turns struct {
	limits     func() (jobs, most int) // side by side, beside one that is under load and with none
	oneService bool                    // at a time can be reached from outside

	mu      sync.Mutex
	waiting []*waiter // the longest first
	// What is under way: recordings, those of them under load, and what is cleaned up behind them. One that wants all of something
	// counts as mostJobs of it.
	jobs, loads, cleanups int
	outside               bool // somebody has the way from outside
	recordings            map[string]*shared
}

type waiter struct {
	occupancy harness.Occupancy
	expected  time.Duration
	turn      chan struct{} // closed when it has one
}

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

// loadsOf is how many of the recordings that go on side by side may be under load.
func loadsOf(jobs int) int { return max(1, (jobs+1)/2) }

// acquire waits for a turn, which lasts until release.
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

// change changes what waits or is under way, and gives turns to all who can have one then.
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

// free reports whether there is a turn for a recording.
func (t *turns) free(o harness.Occupancy) bool {
	jobs, most := t.limits()
	switch o {
	case harness.WholeCluster:
		return t.jobs == 0 && t.cleanups == 0
	case harness.LoneLoad:
		return t.loads == 0 && t.jobs < jobs && !t.outside
	case harness.UnderLoad:
		return t.loads < loadsOf(jobs) && t.jobs < jobs && !t.outside
	case harness.FromOutside:
		if t.outside {
			return false
		}
	case harness.WithoutLoad:
	}
	return t.jobs < jobs || t.loads == 0 && t.jobs < most
}

// count counts a recording that begins, or with -1 one that ends.
func (t *turns) count(o harness.Occupancy, n int) {
	switch o {
	case harness.WholeCluster:
		t.jobs, t.cleanups = t.jobs+n*mostJobs, t.cleanups+n*mostJobs
		return
	case harness.LoneLoad:
		t.loads += n * mostJobs
	case harness.UnderLoad:
		t.loads += n
	case harness.FromOutside, harness.WithoutLoad:
	}
	t.jobs += n
	if o != harness.WithoutLoad {
		t.outside = t.oneService && n > 0
	}
}

// cleanup is for what is cleaned up behind the next recording, until it is done; nil if as much is as there may be.
func (t *turns) cleanup() (done func()) {
	t.change(func() {
		if t.cleanups < mostJobs {
			t.cleanups++
			done = func() { t.change(func() { t.cleanups-- }) }
		}
	})
	return done
}
