package timeline

import (
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// eventSigns is what the pass over the events collects for signs.
type eventSigns struct {
	versions map[string]string           // of the app's pods and ReplicaSets, by name: Events about others are recorded too
	deleted  map[string]time.Duration    // pod of the app -> when its last deletion was seen
	ready    map[string]bool             // pods that got ready since they were created
	counts   map[SignKind]map[string]int // by pod
	lacks    map[string]evidence.Event   // object, such as Pod/a -> the Event by which a pod could not run
	over     map[string]bool             // objects that need nothing more
}

func newEventSigns() eventSigns {
	return eventSigns{versions: map[string]string{}, deleted: map[string]time.Duration{}, ready: map[string]bool{},
		counts: map[SignKind]map[string]int{}, lacks: map[string]evidence.Event{}, over: map[string]bool{}}
}

// hookFailsWithin is the longest time from a pod's deletion to the Event about a hook that fails by itself; a hook that fails because the
// app ends has run for longer. Our own choice: a kubelet begins within a second, and writes Events on the side.
const hookFailsWithin = 3 * time.Second

// reportSigns has the signs that an Event of the API about a pod shows, by what it reports. grace is the app's.
var reportSigns = map[evidence.ReportKind]func(s eventSigns, e evidence.Event, grace time.Duration) SignKind{
	evidence.KilledByStartup: func(eventSigns, evidence.Event, time.Duration) SignKind { return KilledByStartup },
	evidence.KilledByLiveness: func(s eventSigns, e evidence.Event, _ time.Duration) SignKind {
		if s.ready[e.By.Pod] {
			return ""
		}
		return KilledStarting
	},
	evidence.HookFails: func(s eventSigns, e evidence.Event, grace time.Duration) SignKind {
		deleted, seen := s.deleted[e.By.Pod]
		switch {
		case seen && e.At-deleted >= grace:
			return HookCutOff
		case seen && e.At-deleted < hookFailsWithin:
			return HookFailed
		}
		return ""
	},
}

// note enters an event into the signs.
func (s eventSigns) note(e evidence.Event, grace time.Duration) {
	pod := "Pod/" + e.By.Pod
	switch e.Kind {
	case evidence.RolloutBegun: // what stood in the way of pods before is not about the rollout
		clear(s.lacks)
		clear(s.over)
	case evidence.PodCreated: // again, perhaps: a StatefulSet gives the same name
		s.versions[e.By.Pod], s.ready[e.By.Pod], s.over[pod] = e.By.Version, false, false
	case evidence.PodReady:
		s.ready[e.By.Pod], s.over[pod] = true, true
	case evidence.PodDeleting:
		s.deleted[e.By.Pod], s.over[pod] = e.At, true
	case evidence.PodGone:
		s.over[pod] = true
	case evidence.ReplicaSetScaled: // it may have no pod yet
		if s.versions[e.Object] = e.Detail; e.Count == 0 {
			delete(s.lacks, "ReplicaSet/"+e.Object)
		}
	case evidence.Reported:
		s.noteReport(e, grace)
	default:
	}
}

func (s eventSigns) noteReport(e evidence.Event, grace time.Duration) {
	switch e.Report.Kind {
	case evidence.NotScheduled, evidence.NotAttached, evidence.NotCreated, evidence.NotPulled:
		s.lacks[e.Object] = e
	case evidence.Scheduled, evidence.Attached, evidence.Created, evidence.Pulled:
		delete(s.lacks, e.Object)
	default:
	}
	sign := reportSigns[e.Report.Kind]
	if sign == nil {
		return
	}
	if kind := sign(s, e, grace); kind != "" {
		if s.counts[kind] == nil {
			s.counts[kind] = map[string]int{}
		}
		s.counts[kind][e.By.Pod]++
	}
}

// countInto adds the counted signs of the app's pods.
func (s eventSigns) countInto(seen Signs) {
	for kind, byPod := range s.counts {
		for pod, n := range byPod {
			if _, deleted := s.deleted[pod]; deleted || s.versions[pod] != "" {
				seen.add(kind, n)
			}
		}
	}
}

// stuck returns the last Event by which, at the end, a pod could not be created, scheduled or given its volume or image. The
// Event is about a pod of another version than the old one, its ReplicaSet, or the workload. A later Event that the same was
// done after all ends it, and so does a pod that is ready or no longer wanted. A pod of the old version that finds no node,
// as in a drain, has nothing to do with the rollout.
func (s eventSigns) stuck(old, workload string) (why evidence.Event, is bool) {
	for _, object := range slices.Sorted(maps.Keys(s.lacks)) {
		_, name, _ := strings.Cut(object, "/")
		version := s.versions[name]
		if ofRollout := object == workload || version != "" && version != old; ofRollout && !s.over[object] {
			return s.lacks[object], true
		}
	}
	return evidence.Event{}, false
}
