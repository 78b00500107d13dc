package timeline

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A census counts the pods of the rollout by state, from a moment on.
type census struct {
	Time
	total       int  // in the API, terminating ones included
	available   int  // ready and not being deleted
	serving     int  // that answer requests: ready, no SIGTERM yet
	unlistening int  // serving ones that do not listen yet
	staying     int  // serving ones that are not being deleted
	signaled    int  // being deleted, after SIGTERM
	terminating int  // of the old version, being deleted, whose process has not ended
	old         int  // of the old version, whose process has not ended
	endpoints   int  // ready endpoints
	changed     bool // see changesPods
}

// count adds n to the number of each state that a pod is in.
func (c *census) count(s podState, old bool, n int) {
	for _, of := range []struct {
		number *int
		is     bool
	}{
		{&c.total, s.there}, {&c.available, s.there && s.ready && !s.deleted}, {&c.serving, s.serving()},
		{&c.unlistening, s.serving() && !s.listening}, {&c.staying, s.serving() && !s.deleted},
		{&c.signaled, s.deleted && s.signaled}, {&c.terminating, old && s.there && s.deleted && !s.ended},
		{&c.old, old && s.there && !s.ended}, {&c.endpoints, s.in},
	} {
		if of.is {
			*of.number += n
		}
	}
}

// changesPods reports whether an event changes how many pods, or ready or undeleted ones, the API has.
func changesPods(kind evidence.EventKind) bool {
	switch kind {
	case evidence.PodCreated, evidence.PodReady, evidence.PodUnready, evidence.PodDeleting, evidence.PodGone:
		return true
	default:
		return false
	}
}

// windowsWhere lists, by time, the windows since a moment in which the census satisfies a condition.
func (t Timeline) windowsWhere(from time.Duration, holds func(census) bool) (windows []Window) {
	open := false
	for _, c := range t.census {
		is := holds(c)
		switch {
		case is && !open:
			windows = append(windows, Window{From: max(c.At, from), To: never, Uncertainty: c.Err})
		case !is && open:
			last := &windows[len(windows)-1]
			last.To, last.Uncertainty = c.At, max(last.Uncertainty, c.Err)
		}
		open = is
	}
	return slices.DeleteFunc(windows, func(w Window) bool { return w.To <= from })
}

// NoneServing lists when no pod of the rollout could answer: the ready ones, if any, had got SIGTERM.
func (t Timeline) NoneServing() []Window {
	return t.windowsWhere(t.begun(), func(c census) bool { return c.serving == 0 })
}

// ReadyUnlistening lists when a pod of the rollout counted as ready and did not listen yet.
func (t Timeline) ReadyUnlistening() []Window {
	return t.windowsWhere(t.begun(), func(c census) bool { return c.unlistening > 0 })
}

// unaccepted is how long before a SIGTERM a request may be sent that the pod's socket has not accepted when it closes. Our own
// choice: a hundred times what a request takes.
const unaccepted = 100 * time.Millisecond

// OnlyTerminating lists when pods that were being deleted were the only ones that could answer, and no pod had got SIGTERM yet, nor was
// to get it so soon that a request may be lost to that.
func (t Timeline) OnlyTerminating() []Window {
	windows := t.windowsWhere(t.begun(), func(c census) bool { return c.serving > 0 && c.staying == 0 && c.signaled == 0 })
	for i := range windows {
		windows[i].To -= unaccepted
	}
	return slices.DeleteFunc(windows, func(w Window) bool { return w.To <= w.From })
}

// terminatingBesideReady lists when an old pod was being deleted and had not ended, and another pod was ready.
func (t Timeline) terminatingBesideReady() []Window {
	return t.windowsWhere(math.MinInt64, func(c census) bool { return c.terminating > 0 && c.staying > 0 })
}

// noReadyEndpoints lists the windows in which no endpoint was ready, after the first one had been.
func (t Timeline) noReadyEndpoints() []Window {
	were := false
	return t.windowsWhere(math.MinInt64, func(c census) bool {
		were = were || c.endpoints > 0
		return were && c.endpoints == 0
	})
}

// OldPods counts the pods of the old version that there were, also those whose names others have got since.
func (t Timeline) OldPods() (n int) {
	for _, p := range t.Pods {
		if p.version == t.Old || p.Version == t.Old {
			n++
		}
	}
	return n
}

// OldPodsAt counts the pods of the old version that were in the API at a moment and had not ended, terminating ones included.
func (t Timeline) OldPodsAt(moment time.Duration) int {
	i := sort.Search(len(t.census), func(i int) bool { return t.census[i].At > moment })
	if i == 0 {
		return 0
	}
	return t.census[i-1].old
}

// A Capacity is how many pods of the app there were from a moment on. A ready pod that is being
// deleted is not available, though it is still one of the total.
type Capacity struct {
	At        time.Duration
	Available int
	Total     int
}

// Capacities lists the capacity at a moment, then every change up to another, one entry per moment. It is empty when no pod was seen by
// the first. Pods of a version that is neither old nor new are not counted.
func (t Timeline) Capacities(from, until time.Duration) (steps []Capacity) {
	for _, c := range t.census {
		step, n := Capacity{At: max(c.At, from), Available: c.available, Total: c.total}, len(steps)
		switch {
		case c.At > until:
			return steps
		case n > 0 && steps[n-1].At == step.At:
			steps[n-1] = step
		case c.changed && (n > 0 || c.At <= from):
			steps = append(steps, step)
		}
	}
	return steps
}

// MinAvailable returns the first moment with the fewest available pods, from the beginning of the
// rollout until the last old pod is gone. It is absent when no pod was seen before the rollout,
// or a mark is missing.
func (t Timeline) MinAvailable() (Capacity, bool) {
	return t.mostOf(func(a, b Capacity) int { return cmp.Compare(b.Available, a.Available) })
}

// MaxPods returns the first moment with the most pods, terminating ones included; over the same span
// and absent for the same reasons as [Timeline.MinAvailable].
func (t Timeline) MaxPods() (Capacity, bool) {
	return t.mostOf(func(a, b Capacity) int { return cmp.Compare(a.Total, b.Total) })
}

func (t Timeline) mostOf(compare func(a, b Capacity) int) (Capacity, bool) {
	steps := t.rolloutCapacities()
	if len(steps) == 0 {
		return Capacity{}, false
	}
	return slices.MaxFunc(steps, compare), true
}

// rolloutCapacities lists the capacity when the rollout began, then every change up to its end.
func (t Timeline) rolloutCapacities() []Capacity {
	begun, marked := t.Mark(evidence.RolloutBegun)
	gone, ended := t.Mark(t.rolloutEnd())
	if !marked || !ended {
		return nil
	}
	return t.Capacities(begun, gone)
}

// PodChanges counts the moments of the rollout at which pods were created, got ready or unready, were deleted or went.
func (t Timeline) PodChanges() int { return max(0, len(t.rolloutCapacities())-1) }
