package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A stop is a kubelet's Event that it begins to stop a pod, and when the pod's deletion had been seen.
type stop struct {
	evidence.Event
	deleted time.Duration
}

// A podState is how far a pod got. Several things are true of a pod that is being deleted.
type podState struct {
	there     bool // in the API
	created   bool
	ready     bool
	served    bool // it got ready before it was deleted
	listening bool
	deleted   bool
	stopping  bool // its kubelet reported that it stops it
	in, out   bool // its endpoint is ready, and is no longer
	signaled  bool
	ended     bool // its process
	gone      bool
}

// after returns the state after an event, and whether events of that kind belong to a pod's state.
func (s podState) after(kind evidence.EventKind) (podState, bool) {
	switch kind {
	case evidence.PodCreated:
		s.there, s.created = true, true // when a recording begins, its endpoint may be seen before the pod
	case evidence.PodStarted: // perhaps its container started again
		s.created, s.listening, s.signaled, s.ended = true, false, false, false
	case evidence.PodReady:
		s.there, s.created, s.ready, s.served = true, true, true, s.served || !s.deleted
	case evidence.PodUnready:
		s.there, s.ready = !s.gone, false
	case evidence.PodListening:
		s.listening = true
	case evidence.PodDeleting:
		s.there, s.deleted = !s.gone, true
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

// serving reports whether the pod answers requests that are routed to it: it is ready and its process has got no SIGTERM.
func (s podState) serving() bool { return s.ready && !s.signaled && !s.ended && !s.gone }

// phase returns the last phase whose condition holds, in the order of [PodPhase].
func (s podState) phase() (phase PodPhase) {
	for i, so := range []bool{s.created, s.ready, s.deleted, s.out, s.signaled, s.ended, s.gone} {
		if so {
			phase = PodStarting + PodPhase(i)
		}
	}
	return phase
}

// note enters an event about the pod, and returns the state before it, and whether the event belongs to the state.
func (p *Pod) note(e evidence.Event, at Time) (was podState, changed bool) {
	if was = p.state; p.isNewPod(e) {
		p.Server, p.state = e.By, podState{}
	}
	p.version = cmp.Or(p.version, e.By.Version)
	p.several = p.several || e.By.Version != "" && e.By.Version != p.version
	p.Events = append(p.Events, e)
	p.Version, p.Node = cmp.Or(p.Version, e.By.Version), cmp.Or(e.By.Node, p.Node)
	p.noteUnready(e, was)
	p.noteReport(e, was)
	switch e.Kind {
	case evidence.PodDeleting:
		p.deleted = e.At
	case evidence.PodCreated:
		p.Controller = e.Object
	default:
	}
	if p.state, changed = p.state.after(e.Kind); !changed {
		return was, false
	}
	if n := len(p.Steps); n == 0 || p.Steps[n-1].Phase != p.state.phase() {
		p.Steps = append(p.Steps, PodStep{Time: at, Phase: p.state.phase()})
	}
	return was, true
}

// isNewPod reports whether an event is about another pod than the events before it: a StatefulSet reuses names. That the earlier pod went,
// or that this one was created, may not have been seen.
func (p *Pod) isNewPod(e evidence.Event) bool {
	other := e.By.Version != "" && p.Version != "" && e.By.Version != p.Version
	switch e.Kind {
	case evidence.PodCreated:
		return p.state.gone || p.state.deleted || other
	case evidence.PodReady:
		return p.state.gone || p.state.deleted && other
	case evidence.PodStarted: // its time is of the pod's own clock, and may be before what the API shows
		return p.state.gone
	default:
		return false
	}
}

// of returns the part of a life that belongs to the pod of a version. An event without a version belongs to the same pod as the one
// before it.
func (p *Pod) of(version string) *Pod {
	if !p.several {
		if p.version == "" || p.version == version {
			return p
		}
		return &Pod{}
	}
	part, last := &Pod{Server: p.Server}, p.version
	for _, e := range p.Events {
		if last = cmp.Or(e.By.Version, last); last == version {
			part.Events = append(part.Events, e)
		}
	}
	return part
}

// left returns the event by which the pod's endpoint left ready for good, if that was not before the rollout began.
func (p *Pod) left(begun time.Duration) (last evidence.Event, ok bool) {
	for _, e := range p.Events {
		switch e.Kind {
		case evidence.EndpointReady:
			ok = false
		case evidence.EndpointNotReady, evidence.EndpointGone:
			if !ok && e.At >= begun {
				last, ok = e, true
			}
		}
	}
	return last, ok
}

// first returns the pod's first event of a kind that satisfies a condition. EndpointNotReady includes EndpointGone, since an endpoint may
// go without having been seen as not ready.
func (p *Pod) first(kind evidence.EventKind, holds func(evidence.Event) bool) (evidence.Event, bool) {
	if p == nil {
		return evidence.Event{}, false
	}
	i := slices.IndexFunc(p.Events, func(e evidence.Event) bool {
		return (e.Kind == kind || kind == evidence.EndpointNotReady && e.Kind == evidence.EndpointGone) && (holds == nil || holds(e))
	})
	if i < 0 {
		return evidence.Event{}, false
	}
	return p.Events[i], true
}

// All lists the events of a kind about the pod, by time.
func (p Pod) All(kind evidence.EventKind) []evidence.Event {
	return slices.DeleteFunc(slices.Clone(p.Events), func(e evidence.Event) bool { return e.Kind != kind })
}

func (p *Pod) last(kinds ...evidence.EventKind) (evidence.Event, bool) {
	if p == nil {
		return evidence.Event{}, false
	}
	for _, e := range slices.Backward(p.Events) {
		if slices.Contains(kinds, e.Kind) {
			return e, true
		}
	}
	return evidence.Event{}, false
}

// sigterm returns when SIGTERM reached an old pod's process; if it restarted, the last time.
func (t Timeline) sigterm(pod string) (at Time, seen bool) {
	e, seen := t.olds[pod].last(evidence.PodSigterm)
	return t.noted(e), seen
}

// ended returns when an old pod's process ended for good or, if that was not seen, when the pod left the API.
func (t Timeline) ended(pod string) (at Time, seen bool) {
	e, seen := t.olds[pod].last(evidence.PodExited, evidence.PodKilled, evidence.PodStarted)
	if !seen || e.Kind == evidence.PodStarted {
		e, seen = t.olds[pod].first(evidence.PodGone, nil)
	}
	return t.noted(e), seen
}

// Killed returns when the process of an old pod was killed, which had ignored SIGTERM: it was seen to run until then, up to 0.1 s before.
func (t Timeline) Killed(pod string) (at Time, was bool) {
	e, was := t.olds[pod].last(evidence.PodKilled)
	return t.noted(e), was
}

// rolled reports whether a pod may be of one of the two versions of the rollout.
func (t Timeline) rolled(by evidence.Server) bool {
	return by.Pod != "" && (by.Version == "" || by.Version == t.Old || by.Version == t.New)
}

// isOld reports whether a version may be the old one: it is, or it is not known.
func (t Timeline) isOld(version string) bool { return version == "" || version == t.Old }

// OldToNew returns how long after the end of the last old pod's process the first new pod was created; negative when it was
// created before. It is absent unless the ends of all old pods were seen, and where both versions are the same.
func (t Timeline) OldToNew() (gap Elapsed, ok bool) {
	if t.Old == t.New {
		return Elapsed{}, false
	}
	var last, first evidence.Event
	for _, p := range t.Pods {
		isNew := func(e evidence.Event) bool { return e.By.Version == t.New }
		if e, created := p.first(evidence.PodCreated, isNew); created && (first.Kind == "" || e.At < first.At) {
			first = e
		}
		switch e, ran := t.olds[p.Pod].last(evidence.PodCreated, evidence.PodStarted, evidence.PodExited, evidence.PodKilled); {
		case !ran:
		case e.Kind == evidence.PodCreated, e.Kind == evidence.PodStarted:
			return Elapsed{}, false
		case last.Kind == "" || e.At > last.At:
			last = e
		}
	}
	return t.seen(first).Since(t.noted(last)), first.Kind != "" && last.Kind != ""
}

// VersionsOverlap returns when the first new pod was ready, and how long after that the last old one was deleted; negative when that came
// first. It is absent unless the deletions of all old pods were seen, and where both versions are the same.
func (t Timeline) VersionsOverlap() (from time.Duration, overlap Elapsed, ok bool) {
	if t.Old == t.New {
		return 0, Elapsed{}, false
	}
	var first, last evidence.Event
	for _, p := range t.Pods {
		isNew := func(e evidence.Event) bool { return e.By.Version == t.New }
		if e, ready := p.first(evidence.PodReady, isNew); ready && (first.Kind == "" || e.At < first.At) {
			first = e
		}
		switch e, there := t.olds[p.Pod].last(evidence.PodCreated, evidence.PodReady, evidence.PodDeleting); {
		case !there:
		case e.Kind != evidence.PodDeleting:
			return 0, Elapsed{}, false
		case last.Kind == "" || e.At > last.At:
			last = e
		}
	}
	return first.At, t.seen(last).Since(t.seen(first)), first.Kind != "" && last.Kind != ""
}

// ByDeleted says whether the hit is a good reply by a pod that was being deleted when the request was sent. The watch of pods or that of
// EndpointSlices reports a deletion first, and both late: a request sent shortly before the first report may have come after the deletion.
func (t Timeline) ByDeleted(h Hit) Truth {
	deleted, seen := t.deletion(h.By.Pod)
	sent := t.sent(h)
	switch {
	case !h.Good() || !seen:
		return No
	case t.noted(deleted).NotAfter(sent) == Yes:
		return Yes
	case t.seen(deleted).NotAfter(sent) == No:
		return No
	default:
		return Unknown
	}
}

// deletion returns the first event that shows that a pod is being deleted. An endpoint that is not ready does not: its pod may be unready.
func (t Timeline) deletion(pod string) (first evidence.Event, seen bool) {
	first, seen = t.pod(pod).first(evidence.PodDeleting, nil)
	if listed, as := t.pod(pod).first(evidence.EndpointTerminating, nil); as && (!seen || listed.At < first.At) {
		return listed, true
	}
	return first, seen
}
