package reports

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// signs holds what a recording shows of why a user's app lost requests.
type signs struct {
	hookFailures    int           // preStop hooks that failed, by the kubelets' Events, which do not say why (kuberuntime_container.go, v1.37)
	hooksCut        int           // preStop hooks that ran until the grace period was over, by the same Events
	rolledOut       bool          // to another version
	noneServed      time.Duration // for how long no pod could answer, once the rollout had begun
	lostWithNone    int           // failed requests that were sent in that time
	gatewayErrors   int           // replies of terminating pods with status 502 to 504
	refusedByEnding int           // connections that terminating pods refused
	droppedByEnding int           // new connections that terminating pods had accepted and closed without a reply
	killedStarting  int           // restarts of containers by their liveness probe before the pod was ready
	killedByStartup int           // restarts of containers by their startup probe
	stuck           string        // the Event that says why a new pod could not run at the end
	cutByStaying    cutConnections
	lostBehind      int    // requests that ready pods left unanswered, or answered with 502 to 504, after pods beside the app began to end
	endedBehind     string // of those pods, the last that began to end before the first of these requests failed
}

// hookFailsWithin is the longest time from a pod's deletion to the Event about a hook that fails by itself; a hook that fails because the
// app ends has run for longer. Our own choice: a kubelet begins within a second, and writes Events on the side.
const hookFailsWithin = 3 * time.Second

// killedReason begins a kubelet's Event about a container that it ends (pkg/kubelet/kuberuntime/kuberuntime_manager.go, v1.37).
const killedReason = "Killing: Container "

const hookFailedReason = "FailedPreStopHook: " // pkg/kubelet/events/event.go, v1.37

// signsOf finds the signs in a timeline.
func signsOf(tl timeline.Timeline, own evidence.UserApp) (seen signs) {
	seen.cutByStaying = cutConnections{}
	deleted := map[string]time.Duration{} // by pod of the app
	var besides []evidence.Event
	ready, versions := map[string]bool{}, versionsOf(tl)
	for _, e := range tl.Events {
		at, ours := deleted[e.By.Pod]
		probe, killed := strings.CutPrefix(e.Detail, killedReason)
		killed = killed && e.Kind == evidence.Reported && versions[e.By.Pod] != ""
		switch {
		case e.Kind == evidence.PodDeleting:
			deleted[e.By.Pod] = e.At
		case e.Kind == evidence.OtherPodDeleting:
			besides = append(besides, e)
		case e.Kind == evidence.PodReady, e.Kind == evidence.PodCreated: // again, perhaps: a StatefulSet gives the same name
			ready[e.By.Pod] = e.Kind == evidence.PodReady
		case killed && !ready[e.By.Pod] && strings.HasSuffix(probe, " failed liveness probe, will be restarted"):
			seen.killedStarting++
		case killed && strings.HasSuffix(probe, " failed startup probe, will be restarted"):
			seen.killedByStartup++
		case e.Kind != evidence.Reported || !strings.HasPrefix(e.Detail, hookFailedReason) || !ours:
		case e.At-at >= own.Grace:
			seen.hooksCut++
		case e.At-at < hookFailsWithin:
			seen.hookFailures++
		}
	}
	seen.rolledOut, seen.stuck = tl.Old != tl.New, stuck(tl, versions, workloadName(own))
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
		cut := h.Fault == evidence.Reset || h.Fault == evidence.Closed
		gateway := h.Fault == evidence.BadStatus && h.Status >= 502 && h.Status <= 504
		if phase == timeline.PodServing && (gateway || h.Fault == evidence.Timeout) {
			seen.addBehind(besides, h)
		}
		ending := phase >= timeline.PodDeleting || endsIn(pod, timeline.Window{From: h.Sent, To: h.End() + deletionSeen})
		switch {
		case cut && h.Reused && phase == timeline.PodServing && !ending:
			seen.cutByStaying[pod.Pod] = append(seen.cutByStaying[pod.Pod], h)
		case cut && !h.Reused && h.Connect > 0 && ending: // also if it was sent just before the deletion
			seen.droppedByEnding++
		case phase < timeline.PodDeleting:
		case gateway:
			seen.gatewayErrors++
		case h.Fault == evidence.Refused:
			seen.refusedByEnding++
		}
	}
	return seen
}

// addBehind counts a request that a ready pod lost, if pods beside the app had begun to end by the request's end.
func (s *signs) addBehind(ended []evidence.Event, h timeline.Hit) {
	for _, e := range slices.Backward(ended) {
		if e.At <= h.End() {
			s.lostBehind++
			s.endedBehind = cmp.Or(s.endedBehind, e.By.Pod)
			return
		}
	}
}
