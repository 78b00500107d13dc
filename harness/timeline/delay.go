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

// kubeletWaits are shown, in a recording in which nobody measured them, by a kubelet that was late with what no timer keeps it from.
// That does not tell one that waits from one that is stopped. The signs are about pods that had got ready: one that is still being
// started waits to be stopped, and one that is being deleted loses its network first, so that its probes time out on an idle node, too.
func (t Timeline) kubeletWaits() (waits []Wait) {
	note := func(a Actor, from, to time.Duration) {
		waits = append(waits, Wait{Actor: a, Window: Window{From: from, To: to}, Waited: to - from})
	}
	for _, l := range t.livesByName() {
		serving, deleted := false, time.Duration(-1)
		for _, e := range l.events {
			message, failed := reported(e, probeFailed)
			_, stops := reported(e, stopping)
			switch {
			case e.Kind == evidence.PodReady && deleted < 0:
				serving = true
			case e.Kind == evidence.PodDeleting && serving:
				serving, deleted = false, e.At
			case e.Kind == evidence.PodDeleting, e.Kind == evidence.PodGone:
				serving, deleted = false, -1
			case stops && deleted >= 0:
				if e.At-deleted >= kubeletDelay+t.watchLag(deleted) {
					note(Actor{Node: e.By.Node, Program: Kubelet}, deleted, e.At)
					if end, ended := l.first(evidence.PodGone, nil); ended { // how late it was with the rest, nobody knows
						note(Actor{Pod: e.By.Pod, Node: e.By.Node, Program: Kubelet}, deleted, end.At)
					}
				}
				deleted = -1
			case failed && serving && timedOut(message):
				note(Actor{Pod: e.By.Pod}, e.At-ProbeTimeout, e.At)
				note(Actor{Node: e.By.Node, Program: Kubelet}, e.At-ProbeTimeout, e.At)
			}
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
