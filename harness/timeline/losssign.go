package timeline

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// lossesInto adds the signs that failed requests show.
func (t Timeline) lossesInto(seen Signs) {
	none, ended := t.NoneServing(), time.Duration(0)
	if at, ok := t.Mark(evidence.LoadEnded); ok {
		ended = at
	}
	outage, cut := Sign{}, cutConnections{}
	for _, w := range none {
		outage.For += max(0, min(w.To, ended)-w.From)
	}
	for _, h := range Failed(t.ServiceLanes()) {
		if slices.ContainsFunc(none, func(w Window) bool { return w.From <= h.Sent && h.Sent <= w.To }) {
			outage.Count++
		}
		pod, known := t.Served(h)
		if !known {
			continue
		}
		phase, _ := t.PhaseOf(pod, h)
		dropped := h.Fault == evidence.Reset || h.Fault == evidence.Closed
		gateway := h.Fault == evidence.BadStatus && h.Status >= http.StatusBadGateway && h.Status <= http.StatusGatewayTimeout
		if phase == PodServing && (gateway || h.Fault == evidence.Timeout) {
			t.addBehind(seen, h)
		}
		ending := phase >= PodDeleting || endsIn(pod, Window{From: h.Sent, To: h.End() + DeletionSeen})
		switch {
		case dropped && h.Reused && phase == PodServing && !ending:
			cut[pod.Pod] = append(cut[pod.Pod], h)
		case dropped && !h.Reused && h.Connect > 0 && ending: // also if it was sent just before the deletion
			seen.add(DroppedByEnding, 1)
		case phase < PodDeleting:
		case gateway:
			seen.add(GatewayErrors, 1)
		case h.Fault == evidence.Refused:
			seen.add(RefusedByEnding, 1)
		}
	}
	if outage != (Sign{}) {
		seen[NoneServing] = outage
	}
	seen.add(CutByServing, cut.count())
	if age, by := cut.idle(); by {
		seen[IdleClosed] = Sign{Count: cut.count(), For: age}
	}
}

// addBehind counts a request that a ready pod lost, if a pod that is not the app's began to end before the request's end. The sign has the
// last one to do so of the first request.
func (t Timeline) addBehind(seen Signs, h Hit) {
	for _, e := range slices.Backward(t.others) {
		if e.At <= h.End() {
			s := seen[LostBehindServing]
			s.Count, s.Pod = s.Count+1, cmp.Or(s.Pod, e.By.Pod)
			seen[LostBehindServing] = s
			return
		}
	}
}
