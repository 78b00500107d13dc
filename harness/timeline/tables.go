package timeline

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
)

// tables hold what the events say, collected in one pass: nothing else goes through all events.
type tables struct {
	marks      map[evidence.EventKind]time.Duration // when each was set first
	marked     []evidence.Event                     // the same, by time
	facts      map[string]evidence.Event            // the last one of each name
	found      []evidence.Event                     // all facts, by time
	olds       map[string]*Pod                      // by pod: the part of its history that belongs to an old pod
	left       map[string]Time                      // old pod -> when its endpoint left ready for good
	routes     []route                              // by pod and node
	census     []census                             // by time
	nodes      map[string]*node
	steps      []Step                    // by time
	sizes      []Scaling                 // by time
	mostActive int                       // the most pods that all ReplicaSets asked for together
	rescales   []Rescale                 // by time
	deletions  []deletion                // of available pods, by time
	asked      lapses                    // from when the API server was asked to when it answered
	waited     []evidence.Event          // waits of processes for a processor, measured or logged by themselves
	throttled  []evidence.Event          // processes that a CPU limit kept from running
	measured   bool                      // waits were measured
	doubts     []evidence.Event          // see [Timeline.Doubts]
	strays     []evidence.Event          // of pods behind the Service that do not belong to the rollout
	changes    []time.Duration           // when pods, endpoints or Service of the app changed
	others     []evidence.Event          // deletions of other pods of the namespace, by time
	budgets    map[string]evidence.Event // PodDisruptionBudgets as last seen, by name
	unread     int                       // Events of the API whose messages this build cannot read
	notWatched []evidence.Event          // kinds of objects that were not watched
	channels   map[string]channels       // by lane
	ofEvents   eventSigns
}

// A pass is the state of the pass over the events that fills the tables.
type pass struct {
	*Timeline
	pods         map[string]*Pod
	now          census
	rules        map[string][]evidence.Event // old pod -> each node's last rule-added or rule-gone
	readiness    map[string]bool             // of nodes
	certificates map[string]bool             // certificates and TLS failures that a lane has met
	answered     time.Duration               // when the API server last answered after a silence
	active       map[string]int              // size by ReplicaSet
	total        int                         // of all sizes
	owed         map[string][]time.Duration  // ReplicaSet -> when each deletion that it still has to make was decided
}

// tabulate fills the tables from the events, which are sorted by time.
func (t *Timeline) tabulate() {
	t.LostFlows = 0
	t.tables = tables{marks: map[evidence.EventKind]time.Duration{}, facts: map[string]evidence.Event{}, olds: map[string]*Pod{},
		left: map[string]Time{}, nodes: map[string]*node{}, budgets: map[string]evidence.Event{}, channels: map[string]channels{},
		ofEvents: newEventSigns()}
	p := pass{Timeline: t, pods: map[string]*Pod{}, rules: map[string][]evidence.Event{}, readiness: map[string]bool{},
		certificates: map[string]bool{}, active: map[string]int{}, owed: map[string][]time.Duration{}}
	for _, e := range t.events {
		p.note(e)
	}
	for _, n := range t.nodes {
		n.finish()
	}
	t.Pods = nil
	noneReady := t.noReadyEndpoints()
	for _, name := range slices.Sorted(maps.Keys(p.pods)) {
		t.Pods = append(t.Pods, *p.pods[name])
		old := p.pods[name].of(t.Old)
		if len(old.Events) == 0 {
			continue
		}
		t.olds[name] = old
		left, leaves := old.left(t.begun())
		if leaves {
			t.left[name] = t.seen(left)
		}
		slices.SortFunc(p.rules[name], func(a, b evidence.Event) int { return cmp.Compare(a.Object, b.Object) })
		for _, last := range p.rules[name] {
			t.routes = append(t.routes, t.route(last, noneReady))
		}
	}
	slices.SortStableFunc(t.steps, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
}

// note enters an event into the tables that it belongs to.
func (p *pass) note(e evidence.Event) {
	t := p.Timeline
	t.ofEvents.note(e, t.grace)
	switch e.Kind {
	case evidence.RuleAdded, evidence.RuleGone:
		if t.isOld(e.By.Version) {
			others := slices.DeleteFunc(p.rules[e.By.Pod], func(r evidence.Event) bool { return r.Object == e.Object })
			p.rules[e.By.Pod] = append(others, e)
		}
		p.noteNode(e)
	case evidence.FlowsUnseen:
		if e.Count > 0 {
			t.LostFlows++
		}
		p.noteNode(e)
	case evidence.RulesBegun, evidence.RulesUnseen, evidence.FlowsBegun, evidence.NodeBusy, evidence.NodeStolen,
		evidence.NodeConntrack, evidence.NodeReady, evidence.NodeCordoned, evidence.NodeOpened, evidence.NodeChanged:
		p.noteNode(e)
	case evidence.NodeUnready:
		if t.UnderLoad(e.At) {
			t.doubts = append(t.doubts, e)
		}
		p.noteNode(e)
	case evidence.RecorderLost, evidence.WatchGap:
		t.doubts = append(t.doubts, e)
		p.noteNode(e)
	case evidence.APIAnswered:
		t.asked.add(e)
	case evidence.CPUWaitBegun:
		t.measured = true
	case evidence.CPUWait, evidence.PodWaited:
		t.waited = append(t.waited, e)
		return
	case evidence.CPUThrottled:
		t.throttled = append(t.throttled, e)
		return
	case evidence.ChannelState:
		t.noteChannel(e)
		return
	case evidence.Fact:
		t.facts[e.Object], t.found = e, append(t.found, e)
	case evidence.StrayPod:
		t.strays = append(t.strays, e)
	case evidence.ReplicaSetScaled:
		p.resize(e)
	case evidence.Reported:
		switch e.Report.Kind {
		case message.Rescales:
			t.rescales = append(t.rescales, Rescale{Size: e.Report.Size, At: e.At})
		case message.UnknownReport:
			t.unread++
		default:
		}
	case evidence.PodCreated, evidence.PodUnready, evidence.PodDeleting, evidence.PodGone,
		evidence.EndpointReady, evidence.EndpointNotReady, evidence.EndpointGone, evidence.EndpointTerminating,
		evidence.ServiceChanged, evidence.SliceEdited:
		t.changes = append(t.changes, e.At)
	case evidence.BudgetAllows:
		t.budgets[e.Object] = e
	case evidence.OtherPodDeleting:
		t.others = append(t.others, e)
	case evidence.Unwatched:
		t.notWatched = append(t.notWatched, e)
	default:
		if _, twice := t.marks[e.Kind]; IsMark(e.Kind) && !twice {
			t.marks[e.Kind], t.marked = e.At, append(t.marked, e)
		}
	}
	p.step(e)
	if ofSystem := e.Kind == evidence.SystemPodDeleting || e.Kind == evidence.SystemPodReady; e.By.Pod != "" && !ofSystem {
		p.notePod(e)
	}
}

func (p *pass) noteNode(e evidence.Event) {
	if p.nodes[e.Object] == nil {
		p.nodes[e.Object] = &node{load: NodeLoad{Node: e.Object}}
	}
	p.nodes[e.Object].note(e, p.noted(e), p.UnderLoad(e.At))
}

// notePod enters an event about a pod into its history and, if it is one of the rollout, into the census.
func (p *pass) notePod(e evidence.Event) {
	t, l := p.Timeline, p.pods[e.By.Pod]
	if l == nil {
		l = &Pod{Server: e.By}
		p.pods[e.By.Pod] = l
	}
	old := func() bool { return l.Version != t.New || t.Old == t.New }
	wasOld := old()
	was, changed := l.note(e, t.noted(e))
	if e.Kind == evidence.PodDeleting {
		p.delete(e, was)
	}
	if changed && t.rolled(evidence.Server{Pod: l.Pod, Version: l.Version}) {
		p.now.count(was, wasOld, -1)
		p.now.count(l.state, old(), 1)
		p.now.Time, p.now.changed = t.noted(e), changesPods(e.Kind)
		t.census = append(t.census, p.now)
	}
}

// Fact returns the last event by which the scenario noted a fact of that name. Its detail is the value.
func (t Timeline) Fact(name string) (noted evidence.Event, ok bool) {
	noted, ok = t.facts[name]
	return noted, ok
}

// Facts lists by time the events by which the scenario noted facts.
func (t Timeline) Facts() []evidence.Event { return t.found }

// Doubts lists by time the events that make the recording doubtful: a watch was blind, a recorder stopped, or a node was not ready under
// load.
func (t Timeline) Doubts() []evidence.Event { return t.doubts }

// NotWatched lists by time the events that say which kinds of objects were not watched.
func (t Timeline) NotWatched() []evidence.Event { return t.notWatched }
