package reports

import (
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// signs are what a recording shows of why somebody else's app lost requests.
type signs struct {
	hookFailures    int           // of preStop hooks, by the kubelets' word, which does not say why (kuberuntime_container.go, v1.37)
	rolledOut       bool          // to another version
	noneServed      time.Duration // for how long no pod was there to answer, once the rollout had begun
	lostWithNone    int           // failed requests that were sent meanwhile
	gatewayErrors   int           // replies of terminating pods with status 502 to 504
	refusedByEnding int           // connections that terminating pods refused
}

// hookFailsWithin is for how long a hook runs that cannot do what it is to, as Events tell of it; one that is cut by the grace, or that
// ends with the app, has run for longer. Our own choice: a kubelet begins within a second, and writes the Event on the side.
const hookFailsWithin = 3 * time.Second

const hookFailedReason = "FailedPreStopHook: " // pkg/kubelet/events/event.go, v1.37

func signsOf(tl timeline.Timeline) (seen signs) {
	deleted := map[string]time.Duration{} // by pod of the app
	for _, e := range tl.Events {
		at, ours := deleted[e.By.Pod]
		switch {
		case e.Kind == evidence.PodDeleting:
			deleted[e.By.Pod] = e.At
		case e.Kind == evidence.Reported && strings.HasPrefix(e.Detail, hookFailedReason) && ours && e.At-at < hookFailsWithin:
			seen.hookFailures++
		}
	}
	seen.rolledOut = tl.Old != tl.New
	ended, _ := tl.Mark(evidence.LoadEnded)
	none := tl.NoneServing()
	for _, w := range none {
		seen.noneServed += max(0, min(w.To, ended)-w.From)
	}
	for _, h := range timeline.Failed(tl.ServiceLanes()) {
		for _, w := range none {
			if w.From <= h.Sent && h.Sent <= w.To {
				seen.lostWithNone++
				break
			}
		}
		pod, known := tl.Served(h)
		if !known {
			continue
		}
		phase, _ := tl.PhaseOf(pod, h)
		switch {
		case phase < timeline.PodDeleting:
		case h.Fault == evidence.BadStatus && h.Status >= 502 && h.Status <= 504:
			seen.gatewayErrors++
		case h.Fault == evidence.Refused:
			seen.refusedByEnding++
		}
	}
	return seen
}
