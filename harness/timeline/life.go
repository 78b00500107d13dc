package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A life is what became of one pod.
type life struct {
	evidence.Server
	events []evidence.Event // about it, by time
	steps  []PodStep
	state  podState
}

// A podState is how far a pod got. Several things are true of a pod that is being deleted.
type podState struct {
	there     bool // in the API
	created   bool
	ready     bool
	listening bool
	deleted   bool
	in, out   bool // its endpoint is ready, and is no longer
	signaled  bool
	ended     bool // its process
	gone      bool
}

// after is the state after an event, and whether the event is about it.
func (s podState) after(kind evidence.EventKind) (podState, bool) {
	switch kind {
	case evidence.PodCreated:
		if s.there || s.gone { // anew: a StatefulSet gives the name again
			s = podState{}
		}
		s.there, s.created = true, true // its endpoint may have been seen before, as a recording begins
	case evidence.PodStarted: // perhaps again, after its container had ended
		s.created, s.listening, s.signaled, s.ended = true, false, false, false
	case evidence.PodReady:
		s.there, s.created, s.ready = true, true, true
	case evidence.PodUnready:
		s.there, s.ready = true, false
	case evidence.PodListening:
		s.listening = true
	case evidence.PodDeleting:
		s.there, s.deleted = true, true
	case evidence.EndpointReady:
		s.in, s.out = true, false
	case evidence.EndpointNotReady, evidence.EndpointGone:
		s.in, s.out = false, true
	case evidence.PodSigterm:
		s.signaled = true
	case evidence.PodExited, evidence.PodKilled:
		s.ended = true
	case evidence.PodGone:
		s.there, s.gone = false, true
	default:
		return s, false
	}
	return s, true
}

// serving reports whether the pod answers whoever is led to it: it got ready and its process has got no SIGTERM.
func (s podState) serving() bool { return s.ready && !s.signaled && !s.ended && !s.gone }

// phase is the last of what is true, in the order of a pod's end.
func (s podState) phase() (phase PodPhase) {
	for i, so := range []bool{s.created, s.ready, s.deleted, s.out, s.signaled, s.ended, s.gone} {
		if so {
			phase = PodStarting + PodPhase(i)
		}
	}
	return phase
}

// note adds an event about the pod, and says what it was before.
func (l *life) note(e evidence.Event) (was podState, changed bool) {
	was = l.state
	l.events = append(l.events, e)
	l.Version, l.Node = cmp.Or(l.Version, e.By.Version), cmp.Or(e.By.Node, l.Node)
	if e.Kind == evidence.PodCreated { // a StatefulSet gives the name again to a pod of another version
		l.Server = e.By
	}
	if l.state, changed = was.after(e.Kind); !changed {
		return was, false
	}
	if n := len(l.steps); n == 0 || l.steps[n-1].Phase != l.state.phase() {
		l.steps = append(l.steps, PodStep{At: e.At, Phase: l.state.phase(), Clock: e.Clock})
	}
	return was, true
}

// of is the part of a life that is a version's pod: a StatefulSet gives its name again to one of another version. What names no version
// is about the pod before.
func (l *life) of(version string) *life {
	part, last := &life{Server: l.Server}, ""
	if i := slices.IndexFunc(l.events, func(e evidence.Event) bool { return e.By.Version != "" }); i >= 0 {
		last = l.events[i].By.Version
	}
	for _, e := range l.events {
		if last = cmp.Or(e.By.Version, last); last == "" || last == version {
			part.events = append(part.events, e)
		}
	}
	return part
}

// left is when the pod's endpoint left ready for good, not before the rollout began.
func (l *life) left(begun time.Duration) (at time.Duration, ok bool) {
	for _, e := range l.events {
		switch e.Kind {
		case evidence.EndpointReady:
			ok = false
		case evidence.EndpointNotReady, evidence.EndpointGone:
			if !ok && e.At >= begun {
				at, ok = e.At, true
			}
		}
	}
	return at, ok
}

// first is the pod's first event of a kind for which something holds. An endpoint that went without having been seen as not ready
// has left ready then.
func (l *life) first(kind evidence.EventKind, holds func(evidence.Event) bool) (evidence.Event, bool) {
	if l == nil {
		return evidence.Event{}, false
	}
	i := slices.IndexFunc(l.events, func(e evidence.Event) bool {
		return (e.Kind == kind || kind == evidence.EndpointNotReady && e.Kind == evidence.EndpointGone) && (holds == nil || holds(e))
	})
	if i < 0 {
		return evidence.Event{}, false
	}
	return l.events[i], true
}

// sigterm is when SIGTERM reached the pod's process, the last time if it restarted.
func (l *life) sigterm() (last evidence.Event, seen bool) {
	for _, e := range slices.Backward(l.events) {
		if e.Kind == evidence.PodSigterm {
			return e, true
		}
	}
	return evidence.Event{}, false
}

// ended is when the pod's process ended for good, by its own word or because it was killed.
func (l *life) ended() (evidence.Event, bool) {
	for _, e := range slices.Backward(l.events) {
		switch e.Kind {
		case evidence.PodExited, evidence.PodKilled:
			return e, true
		case evidence.PodStarted:
			return evidence.Event{}, false
		}
	}
	return evidence.Event{}, false
}

// over is when the pod's process ended for good, or, if that was not seen, when the pod left the API.
func (l *life) over() (evidence.Event, bool) {
	if end, ok := l.ended(); ok {
		return end, true
	}
	return l.first(evidence.PodGone, nil)
}

// livesByName lists the lives of all pods.
func (t Timeline) livesByName() (all []*life) {
	for _, l := range t.lives {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *life) int { return cmp.Compare(a.Pod, b.Pod) })
	return all
}

// rolled reports whether it is a pod of the versions that are rolled out.
func (t Timeline) rolled(by evidence.Server) bool {
	return by.Pod != "" && (by.Version == "" || by.Version == t.Old || by.Version == t.New)
}

// isOld reports whether a version is the old one, as far as is known.
func (t Timeline) isOld(version string) bool { return version == "" || version == t.Old }

// EndpointsLeft maps each old pod whose endpoint left ready for good to when it did. A pod whose endpoint was not
// ready for a while, or not ready yet, counts as there; one whose name has come back with another version does not.
func (t Timeline) EndpointsLeft() map[string]time.Duration {
	left := make(map[string]time.Duration)
	for pod, l := range t.olds {
		if at, ok := l.left(t.begun()); ok {
			left[pod] = at
		}
	}
	return left
}

// OldToNew is how long after the process of the last old pod had ended the first new pod was created; negative when it was
// created before. It is absent unless the ends of all old pods were seen, and where old and new pods cannot be told apart.
func (t Timeline) OldToNew() (gap Elapsed, ok bool) {
	if t.Old == t.New {
		return Elapsed{}, false
	}
	var last, first evidence.Event
	for _, l := range t.lives {
		running := false // a process of the old version; a StatefulSet gives its name to one of the new
		for _, e := range l.events {
			switch {
			case e.By.Version == t.New && e.Kind == evidence.PodCreated:
				if first.Kind == "" || e.At < first.At {
					first = e
				}
			case e.By.Version != t.Old:
			case e.Kind == evidence.PodCreated || e.Kind == evidence.PodStarted:
				running = true
			case e.Kind == evidence.PodExited || e.Kind == evidence.PodKilled:
				running = false
				if last.Kind == "" || e.At > last.At {
					last = e
				}
			}
		}
		if running {
			return Elapsed{}, false
		}
	}
	if last.Kind == "" || first.Kind == "" {
		return Elapsed{}, false
	}
	return Elapsed{first.At - last.At, t.clocks.between(first.Clock, last.Clock) + t.watchLag(first.At)}, true
}

// ByDeleted reports whether a pod answered well to a request that was sent when the pod's deletion had been seen.
func (t Timeline) ByDeleted(h Hit) bool {
	deleted, seen := t.lives[h.By.Pod].first(evidence.PodDeleting, nil)
	return !h.Failed() && seen && h.Sent-deleted.At >= t.clocks.between(deleted.Clock, t.lane(h.Lane).Node)
}
