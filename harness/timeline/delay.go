package timeline

import (
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// kubeletDelay is the longest that a kubelet which gets a processor takes to begin with a deletion. It waits for no timer, and
// the slowest of its loops has a period of 1 s (Kubernetes v1.36.3, pkg/kubelet/kubelet.go, genericPlegRelistPeriod).
const kubeletDelay = time.Second

// ProbeTimeout is the timeoutSeconds of the app's probes (fixtures, App.podSpec).
const ProbeTimeout = 5 * time.Second

// noteReport enters an Event of the kubelet about a pod that had got ready: it stops the pod, or a probe timed out. A pod that is still
// being started has to wait before it is stopped; one that is being deleted loses its network first, so that its probes time out on an
// idle node, too.
func (p *Pod) noteReport(e evidence.Event, was podState) {
	message, failed := reported(e, probeFailed)
	_, stops := reported(e, stopping)
	switch {
	case !was.served || was.gone:
	case stops && was.deleted && !was.stopping:
		p.state.stopping, p.stops = true, append(p.stops, stop{e, p.deleted})
	case failed && !was.deleted && timedOut(message):
		p.timeouts = append(p.timeouts, e)
	}
}

// kubeletWaits returns the waits that Events of kubelets show where none were measured: a kubelet began to stop a pod late, or a probe
// timed out. A kubelet that waits for a processor and one that is stopped look the same.
func (t Timeline) kubeletWaits() (waits []Wait) {
	note := func(a Actor, from, to time.Duration) {
		waits = append(waits, Wait{Actor: a, Window: Window{From: from, To: to}, Waited: to - from})
	}
	for _, p := range t.Pods {
		for _, s := range p.stops {
			if s.At-s.deleted < kubeletDelay+t.watchLag(s.deleted) {
				continue
			}
			note(Actor{Node: s.By.Node, Program: Kubelet}, s.deleted, s.At)
			if end, ended := p.first(evidence.PodGone, nil); ended { // how late it was with the rest is not known
				note(Actor{Pod: p.Pod, Node: s.By.Node, Program: Kubelet}, s.deleted, end.At)
			}
		}
		for _, e := range p.timeouts {
			note(Actor{Pod: p.Pod}, e.At-ProbeTimeout, e.At)
			note(Actor{Node: e.By.Node, Program: Kubelet}, e.At-ProbeTimeout, e.At)
		}
	}
	return waits
}

// Reasons of the kubelet's Events (Kubernetes v1.36.3, pkg/kubelet/events/event.go).
const (
	probeFailed = "Unhealthy"
	stopping    = "Killing"
)

// reported returns the message of an Event of the API about a pod, if it has that reason.
func reported(e evidence.Event, reason string) (message string, ok bool) {
	if e.Kind != evidence.Reported || e.By.Pod == "" {
		return "", false
	}
	return strings.CutPrefix(e.Detail, reason+": ")
}

// timedOut reports whether the message of a failed probe says that no answer came in time: over HTTP and gRPC, over TCP, by a command.
func timedOut(message string) bool {
	for _, said := range []string{"context deadline exceeded", "Client.Timeout exceeded", "i/o timeout", "timed out"} {
		if strings.Contains(message, said) {
			return true
		}
	}
	return false
}
