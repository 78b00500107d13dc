package timeline

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A Window is a span of time, [From, To). To is never before From.
type Window struct {
	From, To    time.Duration
	Uncertainty time.Duration // of its length
}

// Length is how long the window is.
func (w Window) Length() time.Duration { return w.To - w.From }

// A PodLag is how long a node went on with an old pod after its endpoint was seen leaving ready.
type PodLag struct {
	Pod, Node string // the old pod, and the node that still sent to it
	Lag       Elapsed
}

// MixedWindow is when both versions answered: from the first reply of the new one to the last of
// the old one, both by the end of the reply. A clean cut has length zero. It is absent when a
// version never answered or both are the same.
func (t Timeline) MixedWindow() (w Window, ok bool) {
	w, ok = t.overlap()
	w.To = max(w.From, w.To)
	return w, ok
}

// Pause is how long nobody was answered between the last reply of the old version and the first of the new one,
// both by the end of the reply; negative when both answered. It is absent when the mixed window is.
func (t Timeline) Pause() (pause Elapsed, ok bool) {
	w, ok := t.overlap()
	return Elapsed{-w.Length(), w.Uncertainty}, ok
}

// overlap is the mixed window, but of negative length when the old version's last reply came first.
func (t Timeline) overlap() (w Window, ok bool) {
	first, seenNew := t.reply(t.New, func(r *Replies) time.Duration { return -r.FirstEnd })
	last, seenOld := t.reply(t.Old, func(r *Replies) time.Duration { return r.LastEnd })
	if !seenNew || !seenOld || t.Old == t.New {
		return Window{}, false
	}
	w = Window{From: -first.at, To: last.at}
	if first.clock != last.clock || first.clock == severalClocks {
		w.Uncertainty = first.uncertainty + last.uncertainty
	}
	return w, true
}

// StatusGap is how long after the status-done mark the old version still completed a reply;
// negative when its last reply came first. It is absent without the mark or an old reply.
func (t Timeline) StatusGap() (gap Elapsed, ok bool) {
	done, marked := t.Mark(evidence.StatusDone)
	last, seen := t.reply(t.Old, func(r *Replies) time.Duration { return r.LastEnd })
	if !marked || !seen || t.Old == t.New {
		return Elapsed{}, false
	}
	return Elapsed{last.at - done, last.uncertainty}, true
}

// StatusGapOf is the same of one lane.
func (t Timeline) StatusGapOf(lane Lane) (gap Elapsed, ok bool) {
	done, marked := t.Mark(evidence.StatusDone)
	old := lane.RepliesOf(t.Old)
	if !marked || old.Count == 0 || t.Old == t.New {
		return Elapsed{}, false
	}
	return Elapsed{old.LastEnd - done, lane.uncertainty}, true
}

// A latest is the largest of several times, by how much it may be wrong, and on whose clock it was read.
type latest struct {
	at, uncertainty time.Duration
	clock           string // node, or severalClocks when another lane's time may be later
}

const severalClocks = "*"

// reply is the latest of the replies by a version, over all service lanes. A lane whose clock is
// uncertain enough may have the latest even if another's time is larger.
func (t Timeline) reply(version string, of func(*Replies) time.Duration) (best latest, seen bool) {
	var lowest, highest time.Duration
	for _, lane := range t.ServiceLanes() {
		for s, r := range lane.replies {
			if s.version != version {
				continue
			}
			at, u := of(r), lane.uncertainty
			if !seen || at > best.at {
				best.at, best.clock = at, lane.Node
			}
			if !seen {
				lowest, highest, seen = at-u, at+u, true
			}
			lowest, highest = max(lowest, at-u), max(highest, at+u)
		}
	}
	for _, lane := range t.ServiceLanes() {
		for s, r := range lane.replies {
			if s.version == version && lane.Node != best.clock && of(r)+lane.uncertainty > lowest {
				best.clock = severalClocks
			}
		}
	}
	best.uncertainty = max(highest-best.at, best.at-lowest)
	return best, seen
}

// DrainLags lists, by pod and node, the last hit a fresh lane in a pod sent to each old pod after
// its endpoint left ready, whether or not the reply came back. A pod and node without such a hit are
// not in the list; one whose last hit the clocks cannot place is, and its lag may be negative.
func (t Timeline) DrainLags() []PodLag {
	left := t.departures()
	lags := make(map[PodLag]Elapsed)
	for _, lane := range t.LanesWhere(evidence.LaneKind.FollowsRules) {
		for pod, sent := range lane.lastTo {
			at, departed := left[pod]
			key := PodLag{Pod: pod, Node: lane.Node}
			if before, seen := lags[key]; departed && sent+lane.uncertainty >= at && (!seen || sent-at > before.Length) {
				lags[key] = Elapsed{sent - at, lane.uncertainty + t.watchLag(at)}
			}
		}
	}
	return sortedLags(lags)
}

// RuleLags lists, by pod and node, how long the node's rules still routed to each old pod after its
// endpoint left ready; negative when the node knew before the recorder. What the observer did not
// see is not in the list. The endpoint and the rule may both have gone earlier than was noted, which makes the lag
// longer and shorter, and so it is uncertain by the larger of the two.
func (t Timeline) RuleLags() []PodLag {
	left := t.departures()
	lags := make(map[PodLag]Elapsed)
	for _, e := range t.Events {
		at, departed := left[e.By.Pod]
		pair := PodLag{Pod: e.By.Pod, Node: e.Object}
		switch {
		case departed && e.Kind == evidence.RuleGone:
			lags[pair] = Elapsed{e.At - at, t.clocks.between("", e.Clock) + max(t.watchLag(at), t.unseen(e))}
		case departed && e.Kind == evidence.RuleAdded:
			delete(lags, pair)
		}
	}
	return sortedLags(lags)
}

// StillRouted lists, by pod and node, the old pods that had left the endpoints for good and to which a node's
// rules still led when they were seen last. The lag is from the departure until then.
func (t Timeline) StillRouted() []PodLag {
	left, seen := t.departures(), t.rulesSeenUntil()
	routed := make(map[PodLag]Elapsed)
	for _, e := range t.Events {
		at, departed := left[e.By.Pod]
		pair := PodLag{Pod: e.By.Pod, Node: e.Object}
		switch {
		case departed && e.Kind == evidence.RuleAdded:
			routed[pair] = Elapsed{seen[e.Object] - at, t.clocks.between("", e.Clock) + t.watchLag(at)}
		case e.Kind == evidence.RuleGone:
			delete(routed, pair)
		}
	}
	return sortedLags(routed)
}

// rulesSeenUntil maps each observed node to when its rules were seen last.
func (t Timeline) rulesSeenUntil() map[string]time.Duration {
	seen := make(map[string]time.Duration)
	for _, e := range t.Events {
		switch e.Kind {
		case evidence.RulesBegun, evidence.RuleAdded, evidence.RuleGone, evidence.NodeBusy:
			seen[e.Object] = max(seen[e.Object], e.At)
		}
	}
	for _, e := range t.Events { // in order, and so the end of the tape last
		if since := e.At - time.Duration(e.Count)*time.Millisecond; e.Kind == evidence.RulesUnseen && e.At >= seen[e.Object] {
			seen[e.Object] = min(seen[e.Object], since)
		}
	}
	return seen
}

// watchLag is by how much an event of the watch about then may be late: as long as the API server took to answer.
func (t Timeline) watchLag(at time.Duration) (lag time.Duration) {
	const about = time.Second // between two answers
	for _, e := range t.Events {
		took := time.Duration(e.Count) * time.Millisecond
		if e.Kind == evidence.APIAnswered && e.At-took-about <= at && at <= e.At+about {
			lag = max(lag, took)
		}
	}
	return lag
}

// unseen is how long a node's rules had not been seen when the event about them was.
func (t Timeline) unseen(e evidence.Event) (blind time.Duration) {
	for _, u := range t.Events {
		since := u.At - time.Duration(u.Count)*time.Millisecond
		if u.Kind == evidence.RulesUnseen && u.Object == e.Object && since <= e.At && e.At <= u.At {
			blind = max(blind, e.At-since)
		}
	}
	return blind
}

func sortedLags(lags map[PodLag]Elapsed) []PodLag {
	var all []PodLag
	for key, lag := range lags {
		all = append(all, PodLag{Pod: key.Pod, Node: key.Node, Lag: lag})
	}
	slices.SortFunc(all, func(a, b PodLag) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node))
	})
	return all
}

// departures maps each old pod to when its endpoint left ready for good. A pod whose endpoint was not
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
	for _, p := range t.Pods {
		if p.Version != "" && p.Version != t.Old {
			delete(left, p.Pod)
		}
	}
	return left
}

// Departed lists the old pods whose endpoint left ready for good during the rollout, by name.
func (t Timeline) Departed() []string { return slices.Sorted(maps.Keys(t.departures())) }
