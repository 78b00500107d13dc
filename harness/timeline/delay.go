package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rollcall/harness/evidence"
)

// A Delay is a sign that the kubelet of a pod's node was starved of CPU time.
type Delay struct {
	evidence.Server
	At   time.Duration
	Late time.Duration // from the pod's deletion until the kubelet began to stop it; 0: its probe timed out
}

// kubeletDelay is how long a kubelet that has time takes at most to begin with a deletion. No timer is in between, and
// the slowest of its loops has a period of 1 s (Kubernetes v1.36.3, pkg/kubelet/kubelet.go, genericPlegRelistPeriod).
const kubeletDelay = time.Second

// Delays lists such signs by time. They are about pods that had got ready: one that is still being started waits to be
// stopped, and one that is being deleted loses its network first, so that its probes time out on an idle node, too.
func (t Timeline) Delays() (delays []Delay) {
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
				if late := e.At - deleted; late >= kubeletDelay+t.watchLag(deleted) {
					delays = append(delays, Delay{Server: e.By, At: e.At, Late: late})
				}
				deleted = -1
			case failed && serving && timedOut(message):
				delays = append(delays, Delay{Server: e.By, At: e.At})
			}
		}
	}
	slices.SortStableFunc(delays, func(a, b Delay) int { return cmp.Compare(a.At, b.At) })
	return delays
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
