package timeline

import (
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// kubeletDelay is how long a kubelet that has time takes at most to begin with a deletion. No timer is in between, and
// the slowest of its loops has a period of 1 s (Kubernetes v1.36.3, pkg/kubelet/kubelet.go, genericPlegRelistPeriod).
const kubeletDelay = time.Second

// ProbeTimeout is what the app's probes have (fixtures, App.podSpec).
const ProbeTimeout = 5 * time.Second

// report takes a kubelet's word about the pod. What it says is about pods that had got ready: one that is still being started waits to
// be stopped, and one that is being deleted loses its network first, so that its probes time out on an idle node, too.
func (l *life) report(e evidence.Event, was podState) {
	message, failed := reported(e, probeFailed)
	_, stops := reported(e, stopping)
	switch {
	case !was.served || was.gone:
	case stops && was.deleted && !was.stopping:
		l.state.stopping, l.stops = true, append(l.stops, stop{e, l.deleted})
	case failed && !was.deleted && timedOut(message):
		l.timeouts = append(l.timeouts, e)
	}
}

// kubeletWaits are shown, in a recording in which nobody measured them, by a kubelet that was late with what no timer keeps it from.
// That does not tell one that waits from one that is stopped.
func (t Timeline) kubeletWaits() (waits []Wait) {
	note := func(a Actor, from, to time.Duration) {
		waits = append(waits, Wait{Actor: a, Window: Window{From: from, To: to}, Waited: to - from})
	}
	for _, l := range t.lives {
		for _, s := range l.stops {
			if s.At-s.deleted < kubeletDelay+t.watchLag(s.deleted) {
				continue
			}
			note(Actor{Node: s.By.Node, Program: Kubelet}, s.deleted, s.At)
			if end, ended := l.first(evidence.PodGone, nil); ended { // how late it was with the rest, nobody knows
				note(Actor{Pod: l.Pod, Node: s.By.Node, Program: Kubelet}, s.deleted, end.At)
			}
		}
		for _, e := range l.timeouts {
			note(Actor{Pod: l.Pod}, e.At-ProbeTimeout, e.At)
			note(Actor{Node: e.By.Node, Program: Kubelet}, e.At-ProbeTimeout, e.At)
		}
	}
	return waits
}

// Words of the kubelet, in Events of the API (Kubernetes v1.36.3, pkg/kubelet/events/event.go).
const (
	probeFailed = "Unhealthy"
	stopping    = "Killing"
)

// reported is what was said about a pod, if the event is a report for that reason.
func reported(e evidence.Event, reason string) (message string, ok bool) {
	if e.Kind != evidence.Reported || e.By.Pod == "" {
		return "", false
	}
	return strings.CutPrefix(e.Detail, reason+": ")
}

// timedOut reports whether a probe's failure is that no answer came in time: over HTTP and gRPC, over TCP, by a command.
func timedOut(message string) bool {
	for _, said := range []string{"context deadline exceeded", "Client.Timeout exceeded", "i/o timeout", "timed out"} {
		if strings.Contains(message, said) {
			return true
		}
	}
	return false
}
