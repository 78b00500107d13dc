// Package timeline joins the streams of one recorded run into one view: what each
// client saw, what the servers' log says of the same requests, and what the
// cluster did at that moment, all on the recorder's clock. It is pure: the same
// evidence, in any order, gives the same timeline. It measures and never
// judges; package verdict does.
//
// Hits are read once, as a stream. Of each lane the timeline keeps exact
// counts, times and, to the microsecond, percentiles, and only those hits that
// a report may have to explain. Memory grows with failures and with the
// connections that nodes routed, not with the other hits.
package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Timeline is the joined view of one run. All times are offsets from Run.Began on the recorder's
// clock.
type Timeline struct {
	Old, New string // versions rolled out from and to
	Lanes    []Lane // in the order of the run
	Pods     []Pod  // by name
	// Disruption is what was done to the cluster; nil: nothing.
	Disruption *evidence.Disruption
	// HostAlone says that no cluster was watched: whether it is whole and what was rolled out is not known.
	HostAlone bool
	// Unwatched says that the app exists already and its pods might not be watched.
	Unwatched bool
	// Arrived says whether the servers' log was recorded. Without it, nothing is known of lost
	// replies and of requests sent twice.
	Arrived bool
	// Problems lists what makes the recording contradict itself. A timeline with problems can be read but not judged.
	Problems []Problem
	// UserApp says that the app is not Rollcall's, so that it is not known how long its answers take.
	UserApp bool
	// ChosenTimeout is how long clients awaited a reply of a user's app, if the user did not say so; 0: he did, or it is Rollcall's.
	ChosenTimeout time.Duration
	// OnDelete says that a rollout of a user's app deletes no pod by itself.
	OnDelete bool
	// LostFlows counts the times in which events of a node's connection tracking were lost.
	LostFlows int

	events []evidence.Event // by time
	clocks clocks
	tables
	signs       Signs
	grace       time.Duration                     // of a user's app
	fronted     bool                              // each of its pods has several containers that serve
	nodeLocal   bool                              // its Service sends clients in pods to pods of their node alone
	firstGood   map[evidence.Server]time.Duration // pod and version -> when the first request was sent that it answered well
	unversioned bool                              // the app's replies do not name their version
	waits       []Wait                            // by time
	longestWait time.Duration
	timeout     time.Duration // how long clients awaited a whole reply, or the next token of a stream; 0: not noted
}

// A Lane is one client: what it saw, in numbers, and the hits that stand out.
type Lane struct {
	evidence.Lane
	Summary  LaneSummary
	Failed   []Hit       // every failed hit, by time sent
	Repeated []Hit       // every hit that was given to several connections or arrived more than once, by time sent
	Refuted  []Hit       // every hit that a server returned, and a pod got nevertheless, by time sent
	Slow     []SlowReply // since the rollout began, by time sent
	Slowest  []Hit       // the good replies since the rollout began that took longest, at most 20, the longest first
	// Undisturbed counts the good replies that no rollout can have delayed: those before it and, on a control lane, all.
	Undisturbed    Resends
	Wanted         []Hit          // by time sent: the hits that [JoinShowing] was asked for, and every hit that steps of the scenario sent
	ForeignReplies ForeignReplies // good ones that are not the app's
	// Absences lists the absences of its agents, on the recorder's clock.
	Absences []evidence.Absence
	// Connections lists the connections that the lane kept, in the order in which they were opened. Of recordings of earlier builds it has
	// those on which somebody answered, in the order of their first replies.
	Connections []Connection
	// Cuts are what is known of replies that pods' ends cut, if an expectation says how long replies take.
	Cuts Cuts

	sent        counter
	late        []Wait // of its client, which sent later than was due
	slowControl []Wait // of the pod that a control lane asks
	lateAnswers []Hit  // since the rollout began, see findLateTogether
	// slowestBefore is the longest that an answer took before the rollout, of those without a packet that TCP sent again.
	slowestBefore time.Duration
	replies       map[bucket]*Replies
	lastTo        map[evidence.Server]time.Duration // pod and version -> when the last hit that reached it was sent
	uncertainty   time.Duration                     // of the lane's clock
}

// period is how far apart the lane's requests are due.
func (l Lane) period() time.Duration { return time.Second / time.Duration(max(1, l.Rate)) }

// A HitID names a hit: its lane, and its number there.
type HitID struct {
	Lane string
	Seq  uint64
}

// A Hit is a recorded hit, on the recorder's clock, with what the servers' log says of it.
type Hit struct {
	evidence.Hit
	Arrivals []evidence.Arrival // by time; empty when it never arrived, or arrivals were not recorded
	// Kept is the pod that had answered before on the same keep-alive connection; zero when none had.
	Kept evidence.Server
	// Idle is how long no request had been under way on that connection; 0 if one was, or that is not known.
	Idle time.Duration
	// Routed is where its connection was routed to.
	Routed Routed
}

// Lost reports whether a pod got the request but the client never saw a whole reply.
func (h Hit) Lost() bool {
	return h.Failed() && h.Fault != evidence.BadStatus && h.Fault != evidence.WrongServer && len(h.Arrivals) > 0
}

// Join reads the evidence. It returns an error for a run whose lanes cannot be told apart; every other
// contradiction is one of the timeline's Problems.
func Join(ev evidence.Evidence) (Timeline, error) {
	return JoinShowing(ev, func(evidence.Hit, error) {})
}

// JoinShowing is [Join], and calls show with each hit of a lane as it is joined: on the recorder's clock, and by the pod that it was routed
// to if its reply names none. If the stream broke off, the last call has its error. The hits that are asked for are kept whole, see
// [Timeline.Find].
func JoinShowing(ev evidence.Evidence, show func(evidence.Hit, error), asked ...HitID) (Timeline, error) {
	t := Timeline{Old: ev.Run.OldVersion, New: ev.Run.NewVersion, Arrived: ev.Arrivals != nil, clocks: readClocks(ev.Run.Clocks),
		Disruption: ev.Run.Disruption, HostAlone: ev.Run.Mode == evidence.NoCluster}
	t.UserApp, t.timeout = ev.Run.UserApp != nil, ev.Run.Timeout
	if ev.Run.FirstReply > 0 {
		t.ChosenTimeout = ev.Run.Timeout
	}
	t.unversioned = ev.Run.UserApp != nil && !ev.Run.UserApp.Named
	t.Unwatched = ev.Run.UserApp != nil && !ev.Run.UserApp.Watched
	if t.UserApp {
		t.grace, t.fronted, t.OnDelete = ev.Run.UserApp.Grace, ev.Run.UserApp.Fronted(), ev.Run.UserApp.OnDelete()
		t.nodeLocal = ev.Run.UserApp.NodeLocal
	}
	t.firstGood = map[evidence.Server]time.Duration{}
	t.events = t.clocks.events(ev.Events)
	t.tabulate()
	shared := t.shared(ev.Run, asked)
	routed, unread := t.readFlows(ev.Flows, ev.Run.Lacks)
	kept, unreadable := readConnections(ev.Connections)
	responders := t.responders(ev.Run.UserApp, routed)
	builders := make(map[string]*builder, len(ev.Run.Lanes))
	for _, lane := range ev.Run.Lanes {
		if builders[lane.ID] != nil || lane.ID == "" {
			return Timeline{}, fmt.Errorf("timeline: join %s: lane id %q is empty or used twice", ev.Run.Scenario, lane.ID)
		}
		builders[lane.ID] = newBuilder(ev.Run, lane, routed, shared)
		builders[lane.ID].addConnections(kept[lane.ID])
		if lane.Kind().RequestsApp() {
			builders[lane.ID].responders = responders
		}
	}
	var nodes []string // that something was recorded on
	contradictions, undecoded := merge(ev.Hits, ev.Arrivals, builders, show)
	contradictions = append(contradictions, strayConnections(kept, builders)...)
	for _, lane := range ev.Run.Lanes {
		b := builders[lane.ID]
		b.finish()
		t.Lanes = append(t.Lanes, b.lane)
		contradictions = append(contradictions, b.problems()...)
		nodes = append(nodes, lane.Node)
		nodes = slices.AppendSeq(nodes, maps.Keys(b.nodes))
	}
	t.findWaits()
	t.findLateTogether()
	if t.UserApp {
		t.signs = t.findSigns(*ev.Run.UserApp)
	}
	for _, d := range ev.Damage {
		t.Problems = append(t.Problems, damage(d))
	}
	t.Problems = slices.Concat(t.Problems, unread, unreadable, undecoded)
	if len(t.Problems) == 0 { // otherwise they follow from the damage
		t.Problems = contradictions
	}
	t.Problems = slices.Concat(t.Problems, clockProblems(ev, t.clocks, nodes), eventProblems(ev.Events), t.markProblems())
	return t, nil
}

// Without returns the timeline without some lanes, and without what the observers of some nodes saw of their rules.
func (t Timeline) Without(lanes, nodes []string) Timeline {
	t.Lanes = slices.DeleteFunc(slices.Clone(t.Lanes), func(l Lane) bool { return slices.Contains(lanes, l.ID) })
	t.events = slices.DeleteFunc(slices.Clone(t.events), func(e evidence.Event) bool {
		switch e.Kind {
		case evidence.RulesBegun, evidence.RuleAdded, evidence.RuleGone, evidence.RulesSynced, evidence.RulesFailed, evidence.RulesUnseen:
			return slices.Contains(nodes, e.Object)
		default:
			return false
		}
	})
	t.tabulate()
	return t
}

// ServiceLanes lists the lanes that go through the Service: not the control lanes, whose
// target is not rolled out.
func (t Timeline) ServiceLanes() []Lane { return t.LanesWhere(evidence.LaneKind.RequestsApp) }

// LanesWhere lists the lanes whose kind satisfies a condition, such as [evidence.LaneKind.ShowsRetries].
func (t Timeline) LanesWhere(counts func(evidence.LaneKind) bool) []Lane {
	return slices.DeleteFunc(slices.Clone(t.Lanes), func(l Lane) bool { return !counts(l.Kind()) })
}

// Failed lists the failed hits of some lanes, by time sent.
func Failed(lanes []Lane) []Hit {
	return hitsOf(lanes, func(l Lane) []Hit { return l.Failed })
}

// Repeated lists the hits of some lanes that were sent more than once, by time sent.
func Repeated(lanes []Lane) []Hit {
	return hitsOf(lanes, func(l Lane) []Hit { return l.Repeated })
}

// Refuted lists the hits of some lanes that were returned although a pod got them, by time sent.
func Refuted(lanes []Lane) []Hit {
	return hitsOf(lanes, func(l Lane) []Hit { return l.Refuted })
}

// Slow lists the slow replies of some lanes, by time sent.
func Slow(lanes []Lane) []SlowReply {
	var slow []SlowReply
	for _, lane := range lanes {
		slow = append(slow, lane.Slow...)
	}
	slices.SortStableFunc(slow, func(a, b SlowReply) int { return BySent(a.Hit, b.Hit) })
	return slow
}

// Find returns a hit by its number, if it is one that is kept whole: it failed, was repeated or slow, is one of Wanted, or an
// example of replies.
func (t Timeline) Find(lane string, seq uint64) (Hit, bool) {
	l := t.lane(lane)
	kept := [][]Hit{l.Failed, l.Repeated, l.Wanted, l.Slowest}
	for _, slow := range l.Slow {
		kept = append(kept, []Hit{slow.Hit})
	}
	for _, replies := range l.replies {
		kept = append(kept, replies.Examples)
	}
	for _, hits := range kept {
		if i := slices.IndexFunc(hits, func(h Hit) bool { return h.Seq == seq }); i >= 0 {
			return hits[i], true
		}
	}
	return Hit{}, false
}

func hitsOf(lanes []Lane, of func(Lane) []Hit) []Hit {
	each := make([][]Hit, len(lanes))
	for i, lane := range lanes {
		each[i] = of(lane)
	}
	hits := slices.Concat(each...)
	slices.SortStableFunc(hits, BySent)
	return hits
}

// replied reports whether a pod of the app answered the hit, well or badly, and named its version.
func replied(h *evidence.Hit) bool {
	return h.By.Version != "" && h.Fault != evidence.WrongServer
}

// BySent compares hits by time sent. It is a total order, so that even duplicates sort the same way every time.
func BySent(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Seq, b.Seq),
		cmp.Compare(a.Took, b.Took), cmp.Compare(a.Fault, b.Fault))
}
