package timeline

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// An Unready is a time in which a pod was not ready, although it had been and nobody had deleted it.
type Unready struct {
	evidence.Server
	Window                // until it was ready again, was deleted or was gone
	Back   bool           // it was ready again
	Report evidence.Event // of its probe, which failed last before that time, or else first in it; zero without one
}

// TimedOut reports whether the pod's probe got no answer in time.
func (u Unready) TimedOut() bool { return timedOut(u.Report.Detail) }

// unreadiness lists by time when pods of the rollout turned unready without a deletion, of those that were ready again and
// those whose probe was reported to have failed.
func (t Timeline) unreadiness() (all []Unready) {
	ready, deleting := map[string]bool{}, map[string]bool{}
	failed, open := map[string]evidence.Event{}, map[string]Unready{}
	end := func(pod string, at time.Duration, back bool) {
		u, lasted := open[pod]
		u.To, u.Back = at, back
		if lasted && (u.Back || u.Report.Kind != "") {
			all = append(all, u)
		}
		delete(open, pod)
	}
	for _, e := range t.Events {
		pod := e.By.Pod
		if !t.rolled(e.By) {
			continue
		}
		switch e.Kind {
		case evidence.PodReady:
			end(pod, e.At, true)
			ready[pod] = true
			delete(failed, pod)
		case evidence.PodUnready:
			if ready[pod] && !deleting[pod] {
				open[pod] = Unready{Server: e.By, Window: Window{From: e.At}, Report: failed[pod]}
			}
			delete(ready, pod)
		case evidence.PodDeleting:
			end(pod, e.At, false)
			deleting[pod] = true
		case evidence.PodGone:
			end(pod, e.At, false)
			delete(ready, pod)
			delete(deleting, pod)
			delete(failed, pod)
		case evidence.Reported:
			if _, probed := reported(e, probeFailed); !probed {
				continue
			}
			failed[pod] = e
			if u, lasts := open[pod]; lasts && u.Report.Kind == "" {
				u.Report = e
				open[pod] = u
			}
		}
	}
	for _, pod := range slices.Sorted(maps.Keys(open)) {
		end(pod, math.MaxInt64, false)
	}
	slices.SortStableFunc(all, func(a, b Unready) int { return cmp.Compare(a.From, b.From) })
	return all
}

// UnreadyBetween lists the pods that turned unready by themselves and were so at any time between.
func (t Timeline) UnreadyBetween(from, to time.Duration) []Unready {
	return slices.DeleteFunc(t.unreadiness(), func(u Unready) bool { return u.From > to || u.To < from })
}
