package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Pod is one pod that events are about, with its history. Pods that had its name before, as in a StatefulSet, are a part of that.
type Pod struct {
	evidence.Server
	Steps  []PodStep        // the phases it went through, by time
	Events []evidence.Event // about it, by time
	// Controller made it, such as ReplicaSet/web-5d4f; empty: nothing did, or it is not known.
	Controller string

	version string // the first that is known
	several bool   // pods of several versions had its name, one after the other
	state   podState
	deleted time.Duration // when its last deletion was seen

	unready  []Unready        // by time, unexplained ones included
	probe    evidence.Event   // its last failure, since it was ready last
	stops    []stop           // after deletions
	timeouts []evidence.Event // of its probe, before its deletion
}

// A PodStep is a moment from which a pod was in a phase.
type PodStep struct {
	Time
	Phase PodPhase
}

// A PodPhase is how far a pod has come towards its end. If several conditions hold, as for a pod that is being
// deleted, the phase is the last of them in this order.
type PodPhase uint8

// The pod phases.
const (
	PodUnseen   PodPhase = iota // not yet in the API
	PodStarting                 // not ready
	PodServing                  // ready
	PodDeleting                 // deletion seen, its endpoint still ready
	PodLeaving                  // its endpoint is no longer ready
	PodSignaled                 // SIGTERM reached its process
	PodExited                   // its process ended
	PodGone                     // no longer in the API
)

func (p PodPhase) String() string {
	return [...]string{"not yet seen", "starting", "ready", "deletion seen", "endpoint not ready", "after SIGTERM", "exited",
		"gone"}[min(p, PodGone)]
}

// staleRouting is how long after a pod is gone a request may still be routed to it. It is our own choice: by default
// kube-proxy syncs within 1 s (minSyncPeriod, KubeProxyConfiguration v1alpha1), and its node may be busy.
const staleRouting = 5 * time.Second

// at returns the last step that the pod had reached at a moment; the zero step before the first.
func (p *Pod) at(moment time.Duration) (last PodStep) {
	for _, s := range p.Steps {
		if s.At > moment {
			break
		}
		last = s
	}
	return last
}

// pod returns a pod by name, or nil if no event is about it.
func (t Timeline) pod(name string) *Pod {
	i, seen := slices.BinarySearchFunc(t.Pods, name, func(p Pod, name string) int { return cmp.Compare(p.Pod, name) })
	if !seen {
		return nil
	}
	return &t.Pods[i]
}

// Served returns the pod that got a hit, or should have: the one that replied, else the one that logged it, else the one
// that its connection was routed to, as its node or an earlier answer on it shows. Else it is the only pod that could have failed
// the hit, of those that were being deleted when it was sent: the only one that had exited or, if none had, the only one that
// could still answer. It is absent when several could have, or none, or when its node routed it to no pod.
func (t Timeline) Served(h Hit) (p Pod, ok bool) {
	p, source := t.ServedAccordingTo(h)
	return p, source != NoSource
}

// ServedAccordingTo is [Timeline.Served], and says how the pod is known.
func (t Timeline) ServedAccordingTo(h Hit) (Pod, PodSource) {
	if by, source := reachedAccordingTo(h); by.Pod != "" {
		if seen := t.pod(by.Pod); seen != nil {
			return *seen, source
		}
		return Pod{}, NoSource
	}
	// It was routed to no pod, or to none of the app; or it came from outside, where something else may have answered.
	if h.Routed.Routing != RoutingUnknown || t.lane(h.Lane).Vantage == evidence.FromHost {
		return Pod{}, NoSource
	}
	var ended, leaving candidates
	for i := range t.Pods {
		switch step := t.Pods[i].at(h.Sent); {
		case step.Phase == PodExited, step.Phase == PodGone && h.Sent-step.At <= staleRouting:
			ended.add(&t.Pods[i])
		case step.Phase >= PodDeleting && step.Phase < PodExited:
			leaving.add(&t.Pods[i])
		}
	}
	could := ended
	if could.n == 0 {
		could = leaving
	}
	if could.n != 1 {
		return Pod{}, NoSource
	}
	return *could.first, ByElimination
}

// candidates are the pods that could have failed a hit.
type candidates struct {
	first *Pod
	n     int
}

func (c *candidates) add(p *Pod) {
	if c.n++; c.n == 1 {
		c.first = p
	}
}

// ToEnded reports whether a hit was routed to an old pod that had got SIGTERM or, if its pod is not known, whether there was any such pod
// that it can have been routed to.
func (t Timeline) ToEnded(h Hit) bool {
	ended := func(p Pod) bool {
		step := p.at(h.Sent)
		return p.Version != t.New && step.Phase >= PodSignaled && (step.Phase < PodGone || h.Sent-step.At <= staleRouting)
	}
	if p, ok := t.Served(h); ok {
		return ended(p)
	}
	return slices.ContainsFunc(t.Pods, ended)
}

func (t *Timeline) isStray(pod string) bool {
	return slices.ContainsFunc(t.strays, func(e evidence.Event) bool { return e.By.Pod == pod })
}

// Stray returns the first event about a pod behind the Service that does not belong to the rollout.
func (t Timeline) Stray() (pod evidence.Event, ok bool) {
	if len(t.strays) == 0 {
		return evidence.Event{}, false
	}
	return t.strays[0], true
}
