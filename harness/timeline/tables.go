package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// tables are what the events say, made in one pass over them.
type tables struct {
	marks         map[evidence.EventKind]time.Duration // when each was set first
	lives         map[string]*life                     // by pod
	olds          map[string]*life                     // of those, the part of an old pod
	census        []census                             // by time
	routes        map[string][]evidence.Event          // old pod -> each node's last rule-added or rule-gone, by node
	routedPods    map[string][]podCount                // node -> how many pods its rules routed to, by time
	seen          map[string]time.Duration             // node -> when its rules were seen last
	unseen        map[string][]Window                  // node -> when its rules were not, by the end
	longestUnseen time.Duration                        // the longest of those
	asked         []Window                             // from when the API server was asked to when it answered, by the answer
	longestAnswer time.Duration                        // of them
	facts         map[string]evidence.Event            // by name, the last of each
	strays        map[string]bool                      // pods behind the Service that are not of the rollout
}

// A podCount is how many pods there are from a moment on.
type podCount struct {
	at   time.Duration
	pods int
}

// tabulate makes the tables of events that are in order.
func (t *Timeline) tabulate() {
	t.tables = tables{marks: map[evidence.EventKind]time.Duration{}, lives: map[string]*life{}, olds: map[string]*life{},
		routes: map[string][]evidence.Event{}, seen: map[string]time.Duration{}, unseen: map[string][]Window{},
		facts: map[string]evidence.Event{}, strays: map[string]bool{}}
	var now census
	for _, e := range t.Events {
		if _, twice := t.marks[e.Kind]; IsMark(e.Kind) && !twice {
			t.marks[e.Kind] = e.At
		}
		switch e.Kind {
		case evidence.RuleAdded, evidence.RuleGone:
			if t.isOld(e.By.Version) {
				others := slices.DeleteFunc(t.routes[e.By.Pod], func(r evidence.Event) bool { return r.Object == e.Object })
				t.routes[e.By.Pod] = append(others, e)
			}
			t.seen[e.Object] = e.At
		case evidence.RulesBegun, evidence.NodeBusy:
			t.seen[e.Object] = e.At
		case evidence.RulesUnseen:
			took := time.Duration(e.Count) * time.Millisecond
			t.unseen[e.Object], t.longestUnseen = append(t.unseen[e.Object], Window{From: e.At - took, To: e.At}), max(t.longestUnseen, took)
		case evidence.APIAnswered:
			took := time.Duration(e.Count) * time.Millisecond
			t.asked, t.longestAnswer = append(t.asked, Window{From: e.At - took, To: e.At}), max(t.longestAnswer, took)
		case evidence.CPUWait, evidence.CPUThrottled, evidence.PodWaited:
			continue
		case evidence.Fact:
			t.facts[e.Object] = e
		case evidence.StrayPod:
			t.strays[e.By.Pod] = true
		}
		if e.By.Pod == "" {
			continue
		}
		l := t.lives[e.By.Pod]
		if l == nil {
			l = &life{Server: e.By}
			t.lives[e.By.Pod] = l
		}
		was, changed := l.note(e)
		if by := (evidence.Server{Pod: l.Pod, Version: l.Version}); changed && t.rolled(by) {
			old := l.Version != t.New || t.Old == t.New
			now.count(was, old, -1)
			now.count(l.state, old, 1)
			now.at, now.clock, now.changed = e.At, e.Clock, changesPods(e.Kind)
			t.census = append(t.census, now)
		}
	}
	for pod, l := range t.lives {
		if old := l.of(t.Old); len(old.events) > 0 {
			t.olds[pod] = old
		}
	}
	for node, windows := range t.unseen { // the end of the stream is noted last
		for _, w := range windows {
			if w.To >= t.seen[node] {
				t.seen[node] = min(t.seen[node], w.From)
			}
		}
	}
	t.routedPods = t.countRouted(t.Events)
	for _, nodes := range t.routes {
		slices.SortFunc(nodes, func(a, b evidence.Event) int { return cmp.Compare(a.Object, b.Object) })
	}
	t.Pods = nil
	for _, l := range t.livesByName() {
		t.Pods = append(t.Pods, Pod{Server: l.Server, Steps: l.steps})
	}
}

// looksApart is how far apart an observer's looks at the rules are at most, unless it says so (harness/observe/noderules, sparingCadence).
const looksApart = 250 * time.Millisecond

// countRouted counts the pods that the rules of each node routed to. A rule that is seen to be gone may have been so since the node's
// were seen before.
func (t *Timeline) countRouted(events []evidence.Event) map[string][]podCount {
	all, routed := map[string][]podCount{}, map[[3]string]bool{}
	for _, e := range events {
		pair := [...]string{e.By.Pod, e.By.Version, e.Object}
		switch {
		case e.Kind == evidence.RuleAdded && !routed[pair]: // an observer that began anew tells of all again
			routed[pair] = true
			all[e.Object] = append(all[e.Object], podCount{e.At, 1})
		case e.Kind == evidence.RuleGone && routed[pair]:
			routed[pair] = false
			all[e.Object] = append(all[e.Object], podCount{e.At - max(looksApart, t.blind(e)), -1})
		}
	}
	for _, steps := range all {
		slices.SortStableFunc(steps, func(a, b podCount) int { return cmp.Compare(a.at, b.at) })
		pods := 0
		for i := range steps {
			pods += steps[i].pods
			steps[i].pods = pods
		}
	}
	return all
}

// leastRouted is how many pods a node's rules routed to at least in a window; 0 where they were not seen.
func (t *Timeline) leastRouted(node string, in Window) int {
	steps := t.routedPods[node]
	i, _ := slices.BinarySearchFunc(steps, in.From, func(l podCount, at time.Duration) int { return cmp.Compare(l.at, at) })
	least := 0
	if i > 0 {
		least = steps[i-1].pods
	}
	for ; i < len(steps) && steps[i].at <= in.To; i++ {
		least = min(least, steps[i].pods)
	}
	return least
}

// changesPods reports whether an event says that the API has another number of pods, or of ready ones.
func changesPods(kind evidence.EventKind) bool {
	switch kind {
	case evidence.PodCreated, evidence.PodReady, evidence.PodUnready, evidence.PodDeleting, evidence.PodGone:
		return true
	default:
		return false
	}
}

// Fact is what the scenario noted under a name last.
func (t Timeline) Fact(name string) (value string, ok bool) {
	noted, ok := t.facts[name]
	return noted.Detail, ok
}

// FactEvent is the event by which it did so.
func (t Timeline) FactEvent(name string) (noted evidence.Event, ok bool) {
	noted, ok = t.facts[name]
	return noted, ok
}

// watchLag is by how much an event of the watch about then may be late: as long as the API server took to answer.
func (t Timeline) watchLag(at time.Duration) (lag time.Duration) {
	const about = time.Second // between two answers
	i, _ := slices.BinarySearchFunc(t.asked, at-about, func(w Window, at time.Duration) int { return cmp.Compare(w.To, at) })
	for _, w := range t.asked[i:] {
		if w.To-t.longestAnswer-about > at {
			break
		}
		if w.From-about <= at {
			lag = max(lag, w.Length())
		}
	}
	return lag
}

// catchUp is for how long an observer that was held up may take what had changed meanwhile for new: the first of its looks, which
// are no further apart (harness/observe/noderules, cadence.late).
const catchUp = 50 * time.Millisecond

// blind is how long a node's rules had not been seen when the event about them was.
func (t Timeline) blind(e evidence.Event) (blind time.Duration) {
	windows := t.unseen[e.Object]
	i, _ := slices.BinarySearchFunc(windows, e.At-catchUp, func(w Window, at time.Duration) int { return cmp.Compare(w.To, at) })
	for _, w := range windows[i:] {
		if w.To-t.longestUnseen > e.At {
			break
		}
		blind = max(blind, e.At-w.From)
	}
	return blind
}

// seenLate is by how much an event may have come before it was noted: those of pods' logs have times of their own.
func (t Timeline) seenLate(e evidence.Event) time.Duration {
	if e.Clock != "" {
		return 0
	}
	return t.watchLag(e.At)
}
