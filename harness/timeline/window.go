package timeline

import (
	"cmp"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A Window is a span of time, [From, To). To is never before From.
type Window struct{ From, To time.Duration }

// Length is how long the window is.
func (w Window) Length() time.Duration { return w.To - w.From }

// A DrainLag is how long one node kept opening connections to an old pod after its endpoint was
// seen leaving ready.
type DrainLag struct {
	Pod, Node string // the old pod, and the node of the client it still answered
	Lag       time.Duration
}

// MixedWindow is when both versions answered: from the first reply of the new one to the last of
// the old one, both by the end of the reply. A clean cut has length zero. It is absent when a
// version never answered or both are the same.
func (t Timeline) MixedWindow() (w Window, ok bool) {
	firstNew, seenNew := t.reply(t.New, func(end, best time.Duration) bool { return end < best })
	lastOld, seenOld := t.lastOldReply()
	if !seenNew || !seenOld || t.Old == t.New {
		return Window{}, false
	}
	return Window{From: firstNew, To: max(firstNew, lastOld)}, true
}

// StatusGap is how long after the status-done mark the old version still completed a reply;
// negative when its last reply came first. It is absent without the mark or an old reply.
func (t Timeline) StatusGap() (gap time.Duration, ok bool) {
	done, marked := t.Mark(evidence.StatusDone)
	last, seen := t.lastOldReply()
	if !marked || !seen || t.Old == t.New {
		return 0, false
	}
	return last - done, true
}

func (t Timeline) lastOldReply() (time.Duration, bool) {
	return t.reply(t.Old, func(end, best time.Duration) bool { return end > best })
}

// reply is the end of that reply by a version, over all service lanes, which no other betters.
func (t Timeline) reply(version string, better func(end, best time.Duration) bool) (best time.Duration, seen bool) {
	for _, lane := range t.ServiceLanes() {
		for _, h := range lane.Hits {
			if Replied(h) && h.By.Version == version && (!seen || better(h.End(), best)) {
				best, seen = h.End(), true
			}
		}
	}
	return best, seen
}

// DrainLags lists, by pod and node, the last hit a fresh lane in a pod sent to each old pod after
// its endpoint left ready. A pod and node without such a hit are not in the list.
func (t Timeline) DrainLags() []DrainLag {
	left := t.departures()
	type key struct{ pod, node string }
	longest := make(map[key]time.Duration)
	for _, lane := range t.Lanes {
		if lane.Vantage != evidence.FromPod || lane.Conn != evidence.Fresh {
			continue
		}
		for _, h := range lane.Hits {
			at, departed := left[h.By.Pod]
			if departed && Replied(h) && h.By.Version == t.Old && h.Sent >= at {
				k := key{h.By.Pod, lane.Node}
				longest[k] = max(longest[k], h.Sent-at)
			}
		}
	}
	var lags []DrainLag
	for k, lag := range longest {
		lags = append(lags, DrainLag{Pod: k.pod, Node: k.node, Lag: lag})
	}
	slices.SortFunc(lags, func(a, b DrainLag) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node))
	})
	return lags
}

// departures maps each pod to when its endpoint left ready for good. A pod whose endpoint was not
// ready for a while, or not ready yet, has not departed.
func (t Timeline) departures() map[string]time.Duration {
	left := make(map[string]time.Duration)
	begun, ok := t.Mark(evidence.RolloutBegun)
	if !ok {
		return left
	}
	for _, e := range t.Events {
		switch e.Kind {
		case evidence.EndpointReady:
			delete(left, e.By.Pod)
		case evidence.EndpointNotReady, evidence.EndpointGone:
			if _, already := left[e.By.Pod]; !already && e.At >= begun {
				left[e.By.Pod] = e.At
			}
		}
	}
	return left
}
