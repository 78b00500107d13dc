package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// ForeignReplies counts the good replies on a lane that no pod of the app can have given, but a cache, an Ingress or another app.
type ForeignReplies struct {
	Count int
	First time.Duration // when the request of the first was sent
	Why   string        // how it is known, of the first
}

// A responders finds out which replies, of those that name no pod, are by no pod of an app whose pods were watched.
type responders struct {
	empty []Window                 // no pod of the app was there
	gone  map[string]time.Duration // by pod, from when on it certainly answered nothing more
	ours  map[string]bool          // addresses that pods of the app had; nil: other pods may have been behind the Service
}

const (
	// forced is how soon after its deletion a pod is gone if that was forced: the kubelet ends its process only then, and it may serve for its
	// grace period (apis/core/v1, DeleteOptions.GracePeriodSeconds). Our own choice.
	forced = 500 * time.Millisecond
	// soonest is how long after its creation a pod answers at the soonest, and so how late the watch may see it. Our own choice.
	soonest = 500 * time.Millisecond
)

// responders returns nil if the app's pods were not watched.
func (t *Timeline) responders(app *evidence.UserApp, routed flows) *responders {
	if app == nil || !app.Watched {
		return nil
	}
	a := &responders{gone: map[string]time.Duration{}, ours: map[string]bool{}}
	for _, byClient := range routed {
		for _, all := range byClient {
			for _, flow := range all {
				if flow.By.Pod != "" {
					a.ours[flow.Address] = true
				}
			}
		}
	}
	there, deleting := map[string]bool{}, map[string]time.Duration{}
	from := never // when the last pod was gone
	for _, e := range t.events {
		switch e.Kind {
		case evidence.PodCreated:
			if w := (Window{From: from, To: e.At - soonest}); w.From < w.To {
				a.empty = append(a.empty, w)
			}
			there[e.By.Pod], from = true, never
			delete(a.gone, e.By.Pod)
			delete(deleting, e.By.Pod)
		case evidence.PodDeleting:
			deleting[e.By.Pod] = e.At
		case evidence.PodGone:
			delete(there, e.By.Pod)
			at, asked := deleting[e.By.Pod]
			ends := e.At
			if !asked || e.At-at < forced {
				ends += app.Grace
			}
			a.gone[e.By.Pod] = ends
			if from = never; len(there) == 0 {
				from = 0
				for _, at := range a.gone {
					from = max(from, at)
				}
			}
		case evidence.WatchGap: // a pod may have come unseen
			from, a.ours = never, nil
		case evidence.EndpointReady:
			if e.By.Version == "" { // of another workload, such as after a switch of the selector
				a.ours = nil
			}
		default:
		}
	}
	if from != never {
		a.empty = append(a.empty, Window{From: from, To: never})
	}
	return a
}

// foreign says how it is known that no pod of the app gave a good reply; empty: one may have.
func (a *responders) foreign(h *evidence.Hit, routed Routed, uncertainty time.Duration) string {
	for _, w := range a.empty {
		if w.From <= h.Sent-uncertainty && h.End()+uncertainty <= w.To {
			return "no pod of the app was there"
		}
	}
	if routed.Routing != RoutedToPod {
		return ""
	}
	if ended, gone := a.gone[routed.Pod]; gone && h.Sent-uncertainty > ended && !h.Reused {
		return "it went to " + routed.Address + ", where pod " + routed.Pod + " had been, which was gone"
	}
	if routed.Pod == "" && a.ours != nil && !a.ours[routed.Address] {
		return "it went to " + routed.Address + ", which no pod of the app had"
	}
	return ""
}
