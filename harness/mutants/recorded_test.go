package mutants

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// A recordedMutant is a change of a recording that a rule or a reason for distrust has to detect. The unchanged recording is as
// expected.
type recordedMutant struct {
	sentence string
	folder   string // %s is the mode
	expect   []evidence.Expectation
	change   spoil
	want     verdict.Outcome
	cause    string
	given    spoil // changes the unchanged one too; nil: nothing
}

// Recordings, with the mode left open.
const (
	drainedRecorded   = "reports/testdata/recorded/%s-drained"
	undrainedRecorded = "reports/testdata/recorded/%s-undrained"
	recreateRecorded  = "reports/testdata/recorded/%s-recreate"
	fenceRecorded     = "harness/verdict/testdata/recorded/fenceposts-twelve" // in nftables mode
	unprobedRecorded  = "harness/verdict/testdata/recorded/unprobed"          // likewise
	graceRecorded     = "harness/verdict/testdata/recorded/grace-filled"      // likewise
)

const (
	ms     = time.Millisecond
	second = time.Second
	lane   = "worker-fresh"
	reused = "worker-reused"
)

func recordedMutants() []recordedMutant {
	return slices.Concat(lossMutants(), routeMutants(), podMutants(), versionMutants(), connectionMutants(), factMutants(),
		askedMutants(), preconditionMutants(), distrustMutants())
}

// Each recorded mutant fails because of its change: the unchanged recording passes.
func TestRecordedMutants(t *testing.T) {
	for _, m := range recordedMutants() {
		t.Run(m.sentence, func(t *testing.T) {
			for _, folder := range slices.Compact([]string{inMode(m.folder, "iptables"), inMode(m.folder, "nftables")}) {
				r := recorded(t, folder)
				r.Run.Expect = m.expect
				if m.given != nil {
					m.given(&r)
				}
				if v := r.judge(t); v.Outcome != verdict.Pass {
					t.Errorf("%s, unchanged, is %s: %s", folder, v.Outcome, v.Because)
				}
				m.change(&r)
				v := r.judge(t)
				if got := causes(v); v.Outcome != m.want || !slices.Contains(got, m.cause) {
					t.Errorf("%s is %s by %v, want %s by %s: %s", folder, v.Outcome, got, m.want, m.cause, v.Because)
				}
			}
		})
	}
}

func inMode(folder, mode string) string {
	return strings.ReplaceAll(folder, "%s", mode)
}

func asking(x ...evidence.Expectation) []evidence.Expectation { return x }

func lossMutants() []recordedMutant {
	return []recordedMutant{
		{"a request that got no reply", drainedRecorded, asking(verdict.NoFailures()), failing(lane, evidence.Timeout, second, second+200*ms),
			verdict.Fail, "no-failures", nil},
		{"requests that fail long before their pod ends", drainedRecorded, asking(verdict.CutAsPredicted("fixed:100ms", 5*second, 0)),
			failing(lane, evidence.Timeout, 300*ms, 500*ms), verdict.Fail, "cut-as-predicted", nil},
		{"a reply that was lost on its way back", drainedRecorded, asking(verdict.NoLostReplies()),
			hit(lane, second, func(_ *recording, h *evidence.Hit) { h.Fault, h.Status, h.By = evidence.Reset, 0, evidence.Server{} }),
			verdict.Fail, "no-lost-replies", nil},
		{"a request that two connections carried", drainedRecorded, asking(verdict.NoHiddenRetries()),
			hit(reused, second, func(_ *recording, h *evidence.Hit) { h.Attempts = 2 }), verdict.Fail, "no-hidden-retries", nil},
		{"a request that arrived twice", drainedRecorded, asking(verdict.NoHiddenRetries()),
			hit(reused, second, func(r *recording, h *evidence.Hit) { r.arrivedAt(h, h.By, h.By) }), verdict.Fail, "no-hidden-retries", nil},
		{"a request on a shared connection of HTTP/2 that its client sends again", drainedRecorded, asking(verdict.NoHiddenRetries()),
			all(shared, hit(reused, second, func(r *recording, h *evidence.Hit) { r.arrivedAt(h, h.By, h.By) })), verdict.Fail,
			"no-hidden-retries", shared},
		{"a client that sends again what a dead connection lost, and nobody knows", undrainedRecorded, asking(verdict.NoHiddenRetries()),
			run(resendsUnknown), verdict.Fail, "no-hidden-retries", nil},
		{"a lane that lost nothing where all must", recreateRecorded, asking(verdict.MinOutage(second / 2)), served(lane), verdict.Fail,
			"min-outage", nil},
		{"an outage in which nobody lost anything", recreateRecorded,
			asking(verdict.LostWhileNoneServes(evidence.Refused, evidence.Timeout, evidence.Reset, evidence.Closed)),
			all(served(lane), served("worker2-fresh")), verdict.Inconclusive, "lost-while-none-serves", nil},
		{"a request that terminating pods do not answer before SIGTERM", recreateRecorded, asking(verdict.ServesUntilSigterm()),
			failing(lane, evidence.Timeout, 600*ms, second), verdict.Fail, "serves-until-sigterm", deletedEarly},
		{"a negative control of which no end of a pod lost anything", undrainedRecorded, asking(verdict.MinTerminationsLost(10)),
			all(served(lane), served(reused), served("worker2-fresh"), served("worker2-reused"), served("worker-plain"), served("worker2-plain")),
			verdict.Inconclusive, "min-terminations-lost", nil},
		{"a negative control that lost nothing", undrainedRecorded, asking(verdict.DamageSeen()),
			all(served(lane), served(reused), served("worker2-fresh"), served("worker2-reused")), verdict.Inconclusive, "damage-seen", nil},
		{"a negative control that lost nothing to old pods", undrainedRecorded, asking(verdict.LostWhileTerminating()),
			all(served(lane), served(reused), served("worker2-fresh"), served("worker2-reused")), verdict.Inconclusive,
			"lost-while-terminating", nil},
		{"pods that count as ready and do not listen, and refuse nobody", unprobedRecorded, asking(verdict.LostWhileStarting()),
			all(served(lane), served("worker2-fresh")), verdict.Inconclusive, "lost-while-starting", nil},
		{"a negative control that lost nothing at its stage", undrainedRecorded, asking(verdict.LostTo(timeline.StageStaleEndpoint)),
			all(served(lane), served(reused), served("worker2-fresh"), served("worker2-reused")), verdict.Inconclusive, "lost-to", nil},
		{"a lane without good replies for 3 s", drainedRecorded, asking(verdict.MaxOutage(second)),
			failing(lane, evidence.Refused, second, 4*second), verdict.Fail, "max-outage", nil},
		{"outages before and after an absence, which may be one", drainedRecorded, asking(verdict.MaxOutage(2 * second)),
			failingAround(2*second, 5*second), verdict.Inconclusive, "max-outage", maintained(0, 10*second)},
		{"the same for the time without good replies", drainedRecorded, asking(verdict.ReplyGap(0, 2*second)),
			failingAround(2*second, 5*second), verdict.Inconclusive, "reply-gap", maintained(0, 10*second)},
		{"a request in flight when its agent went away", drainedRecorded, asking(verdict.NoFailures()),
			all(agentsAway(2*second, 5*second), inFlight(lane)), verdict.Inconclusive, "no-failures", maintained(0, 10*second)},
		{"requests in flight that may be too large a share", drainedRecorded, asking(verdict.MaxFailedShare(1)),
			all(agentsAway(2*second, 5*second), inFlight(lane)), verdict.Inconclusive, "max-failed-share", maintained(0, 10*second)},
		{"agents that stay away while their nodes are ready", drainedRecorded, asking(verdict.NoFailures()), agentsAway(second, 18*second),
			verdict.Inconclusive, evidence.AgentLost, maintained(0, 18*second)},
		{"a loss at a step of maintenance that should cost none", drainedRecorded, asking(verdict.LossesAtSteps(second, "drain")),
			failing(lane, evidence.Refused, second, second+200*ms), verdict.Fail, "losses-at-steps", reached("kubelet")},
		{"a drain that costs nothing where it has to", undrainedRecorded, asking(verdict.LostAtSteps("drain")),
			all(served(lane), served(reused), served("worker2-fresh"), served("worker2-reused")), verdict.Inconclusive, "lost-at-steps",
			reached("drain")},
		{"a lane that reaches pods on nodes that are disrupted", drainedRecorded, asking(verdict.LostShare(0, 4*second, evidence.RolloutBegun)),
			served(lane), verdict.Fail, "lost-share", cutOff},
		{"a SYN that was sent again", drainedRecorded, asking(verdict.NoSlowReplies()), resent(lane, second, second+20*ms),
			verdict.Inconclusive, "no-slow-replies", nil},
		{"SYNs that were dropped for 0.9 s at a step", drainedRecorded, asking(verdict.NoFailures(), verdict.NoSlowReplies()),
			resent(lane, second, 1900*ms), verdict.Fail, "no-slow-replies", reached("drain")},
		{"a new pod that stands still for 0.96 s", drainedRecorded, asking(verdict.NoFailures(), verdict.NoSlowReplies()),
			stoodStill(960 * ms), verdict.Fail, "no-slow-replies", nil},
		{"a reply that took 1.6 s", drainedRecorded, asking(verdict.MaxLatency(1200 * ms)),
			hit(lane, second, func(_ *recording, h *evidence.Hit) { h.Took = 1600 * ms }), verdict.Fail, "max-latency", nil},
		{"replies that took 1.6 s for a second", drainedRecorded, asking(verdict.MaxP99(1200 * ms)),
			late(lane, second, 2*second, 1600*ms), verdict.Fail, "max-p99", nil},
	}
}

// clockJumps adds a reading of a node's clock that differs from the one before.
func clockJumps(run *evidence.Run) {
	i := slices.IndexFunc(run.Clocks, func(c evidence.ClockReading) bool { return strings.HasSuffix(c.Node, "-worker") })
	after := run.Clocks[i]
	after.Offset -= 4 * second
	run.Clocks = append(run.Clocks, after)
}

func resendsUnknown(run *evidence.Run) {
	for i := range run.Lanes {
		run.Lanes[i].Resends = false
	}
}

// cutOff makes every new connection fail for 5 s, while all workers are disrupted.
func cutOff(r *recording) {
	r.Run.Disruption = &evidence.Disruption{}
	for _, l := range r.Run.Lanes {
		r.Run.Disruption.Nodes = append(r.Run.Disruption.Nodes, l.Node)
		if l.Kind().FollowsRules() {
			failing(l.ID, evidence.Timeout, 0, 5*second)(r)
		}
	}
}

func routeMutants() []recordedMutant {
	return []recordedMutant{
		{"one node's rules that route to an old pod for 4 s more", drainedRecorded, asking(verdict.MaxRuleLag(3 * second)),
			moved(evidence.RuleGone, "v1", 1, 4*second), verdict.Fail, "max-rule-lag", nil},
		{"old pods that nobody saw leave the endpoints", drainedRecorded, asking(verdict.MaxRuleLag(3 * second)),
			all(dropped(evidence.EndpointNotReady, "", 0), dropped(evidence.EndpointGone, "", 0)), verdict.Inconclusive, "max-rule-lag", nil},
		{"a node's clock that jumps back by 4 s", drainedRecorded, asking(verdict.MaxRuleLag(3 * second)), run(clockJumps),
			verdict.Inconclusive, "max-rule-lag", nil},
		{"one node's rules that route to an old pod beyond its SIGTERM", drainedRecorded, asking(verdict.RulesBeforeSigterm()),
			moved(evidence.RuleGone, "v1", 1, 6*second), verdict.Fail, "rules-before-sigterm", nil},
		{"an old pod that gets new connections to its end", drainedRecorded, asking(verdict.MaxDrainLag(5 * second)),
			answered(lane, 8*second, 8500*ms, byOldPod), verdict.Fail, "max-drain-lag", nil},
		{"an old pod that gets a new connection after its SIGTERM", drainedRecorded, asking(verdict.ClientsBeforeSigterm()),
			answered(lane, 9*second, 9500*ms, byOldPod), verdict.Fail, "clients-before-sigterm", nil},
		{"one old pod of several that gets new connections for longer", drainedRecorded, asking(verdict.MostDrainLags(100, 3*second)),
			answered(lane, 8*second, 8500*ms, byOldPod), verdict.Fail, "most-drain-lags", nil},
	}
}

// deletedEarly moves the deletion of pods to 1.5 s before their SIGTERM.
func deletedEarly(r *recording) {
	all(moved(evidence.RolloutBegun, "", 0, -2*second), moved(evidence.PodDeleting, "v1", 0, -1500*ms),
		moved(evidence.EndpointNotReady, "v1", 0, -1500*ms))(r)
}

func podMutants() []recordedMutant {
	return []recordedMutant{
		{"a new pod that never got ready, though the old one went", drainedRecorded, asking(verdict.MinAvailable(3)),
			dropped(evidence.PodReady, "v2", 1), verdict.Fail, "min-available", nil},
		{"more pods than allowed", drainedRecorded, asking(verdict.MaxPods(6)),
			noted(second, func(r *recording) evidence.Event {
				return evidence.Event{Kind: evidence.PodCreated, By: evidence.Server{Version: "v2", Pod: "one-more", Node: r.oldPod().Node}}
			}), verdict.Fail, "max-pods", nil},
		{"an old ReplicaSet that skips a size", drainedRecorded, asking(verdict.Scaling("v2:1", "v1:2", "v2:2", "v1:1")),
			dropped(evidence.ReplicaSetScaled, "v1", 2), verdict.Fail, "scaling", nil},
		{"ReplicaSets that ask for two pods too many", drainedRecorded, asking(verdict.MaxActive(4)),
			each(evidence.ReplicaSetScaled, "v2", 1, func(_ *recording, e *evidence.Event) { e.Count += 2 }), verdict.Fail, "max-active", nil},
		{"old pods that are gone when the rollout is said to be done", drainedRecorded, asking(verdict.OldAtStatus(1)),
			movedTo(evidence.StatusDone, evidence.OldGone, ""), verdict.Fail, "old-at-status", nil},
		{"a rollout that is done before its controller is back", drainedRecorded, asking(verdict.DoneAfter(evidence.DisruptionUndone)),
			movedTo(evidence.StatusDone, evidence.RolloutBegun, ""), verdict.Fail, "done-after",
			noted(second, event(evidence.Event{Kind: evidence.DisruptionUndone}))},
		{"a new pod beside old ones that still run", recreateRecorded, asking(verdict.OldEndsFirst()),
			movedTo(evidence.PodCreated, evidence.RolloutBegun, "v2"), verdict.Fail, "old-ends-first", nil},
		{"old pods that are kept after the new ones are ready", drainedRecorded, asking(verdict.VersionsOverlap(0, 15*second)),
			moved(evidence.PodDeleting, "v1", 1, 30*second), verdict.Fail, "versions-overlap", nil},
		{"a SIGTERM that does not wait for the hook", drainedRecorded,
			asking(verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 4*second, 8*second)),
			moved(evidence.PodSigterm, "v1", 1, -4*second), verdict.Fail, "between", nil},
	}
}

func versionMutants() []recordedMutant {
	const late, end = 18 * second, time.Hour // the load of the drained recordings ends 19.7 s after the rollout began
	const lateRecreated = 14 * second        // and that of the recreated ones after 15.5 s
	return []recordedMutant{
		{"an old reply after the last old pod was gone", drainedRecorded, asking(verdict.OnlyServes("v2", evidence.OldGone)),
			answered(lane, late, late+200*ms, byOldPod), verdict.Fail, "only-serves", nil},
		{"an old reply later than nodes may take to follow", drainedRecorded, asking(verdict.OnlyServesAfter("v2", second, evidence.OldGone)),
			answered(lane, late+second, late+1200*ms, byOldPod), verdict.Fail, "only-serves-after", nil},
		{"replies by a version that nobody rolled out", drainedRecorded, asking(verdict.Serves("v1", "v2")),
			answered(lane, late, late+second, byVersion("v3")), verdict.Fail, "serves", nil},
		{"a lane on which another version answers at the end", drainedRecorded, asking(verdict.StillServes("v2", 90)),
			answered(lane, late, end, byVersion("v3")), verdict.Fail, "still-serves", nil},
		{"a lane on which another version answers all the time", drainedRecorded, asking(verdict.Share("v2", 100, evidence.OldGone)),
			answered(lane, 14*second, end, byVersion("v3")), verdict.Fail, "share", all(switched, moved(evidence.OldGone, "", 0, -5*second))},
		{"clients that never go back to the old version", drainedRecorded, asking(verdict.Mixes(1)),
			all(answered(lane, 500*ms, end, byVersion("v2")), answered("worker2-fresh", 500*ms, end, byVersion("v2"))), verdict.Fail, "mixes", nil},
		{"an old reply after a new one", recreateRecorded, asking(verdict.CleanCut()), answered(lane, lateRecreated, lateRecreated+200*ms, byOldPod), verdict.Fail,
			"clean-cut", nil},
		{"both versions for 15 s", drainedRecorded, asking(verdict.MaxMixedWindow(13 * second)), answered(lane, late, late+200*ms, byOldPod),
			verdict.Fail, "max-mixed-window", nil},
		{"old replies until 9 s after the rollout was said to be done", drainedRecorded, asking(verdict.MaxStatusGap(7 * second)),
			answered(lane, late, late+200*ms, byOldPod), verdict.Fail, "max-status-gap", nil},
		{"no old reply once the rollout was said to be done", drainedRecorded, asking(verdict.AnswersAfter("v1", evidence.StatusDone, 1)),
			switched, verdict.Fail, "answers-after", nil},
		{"a new connection to the old version long after the switch", drainedRecorded, asking(verdict.MaxSwitch(12 * second)),
			answered(lane, late, late+200*ms, byOldPod), verdict.Fail, "max-switch", nil},
		{"an old reply where nobody was to answer", recreateRecorded, asking(verdict.Pause(100*ms, 10*second)),
			answered(lane, lateRecreated, lateRecreated+200*ms, byOldPod), verdict.Fail, "pause", nil},
		{"a keep-alive connection that another pod answers", drainedRecorded, asking(verdict.KeptConnections("v1")),
			hit(reused, late, func(r *recording, h *evidence.Hit) { h.By = byVersion("v2")(r); r.arrivedAt(h, h.By) }), verdict.Fail,
			"kept-connections", pinned},
		{"both versions for no time", drainedRecorded, asking(verdict.MinMixedWindow(300 * ms)), switched, verdict.Fail, "min-mixed-window", nil},
	}
}

// switched makes the new version answer every client from one instant on.
func switched(r *recording) {
	at := r.at(evidence.StatusDone)
	var newPod evidence.Server
	for _, e := range r.Events {
		if e.Kind == evidence.PodReady && e.By.Version == "v2" {
			newPod = e.By
		}
	}
	old := r.oldPod()
	for i := range r.Hits {
		if h := &r.Hits[i]; h.By.Version == "v1" && h.Sent >= at || h.By.Version == "v2" && h.Sent < at {
			if h.By = newPod; h.Sent < at {
				h.By = old
			}
		}
	}
	r.Arrivals = nil
	for _, h := range r.Hits {
		r.Arrivals = append(r.Arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + h.Took/2, By: h.By})
	}
}

// pinned makes one old pod answer every keep-alive connection.
func pinned(r *recording) {
	old := r.oldPod()
	for i := range r.Hits {
		if h := &r.Hits[i]; strings.HasSuffix(h.Lane, "-reused") {
			h.By, h.LocalPort, h.Reused = old, 7, true
		}
	}
	for i := range r.Arrivals {
		if a := &r.Arrivals[i]; strings.HasSuffix(a.Lane, "-reused") {
			a.By = old
		}
	}
}

func factMutants() []recordedMutant {
	const kept = "old pods kept while no new pod gets ready"
	return []recordedMutant{
		{"an old pod less than promised", fenceRecorded, asking(verdict.Fact(kept, "9")),
			detailed("8"), verdict.Fail, "fact", nil},
		{"a count that is too low", fenceRecorded, asking(verdict.FactAtLeast(kept, 9)), detailed("8"), verdict.Fail, "fact-at-least", nil},
		{"a fact that takes too long", graceRecorded, asking(verdict.FactWithin("events of the pod", 0, 9*second)),
			detailed("10s"), verdict.Fail, "fact-within",
			detailed("8s")},
		{"a fact that nobody found out", fenceRecorded, asking(verdict.Noted(kept)),
			dropped(evidence.Fact, "", 0), verdict.Inconclusive, "noted", nil},
	}
}

// detailed sets the value of the first fact.
func detailed(value string) spoil {
	return each(evidence.Fact, "", 1, func(_ *recording, e *evidence.Event) { e.Detail = value })
}

func preconditionMutants() []recordedMutant {
	return []recordedMutant{
		{"old pods that nobody saw terminate", drainedRecorded, asking(verdict.NoFailures(), verdict.SentWhileTerminating()),
			dropped(evidence.PodDeleting, "v1", 0), verdict.Inconclusive, "sent-while-terminating", nil},
		{"old pods that all get SIGTERM after the rules let go of them", undrainedRecorded,
			asking(verdict.DamageSeen(), verdict.BothOrders()), moved(evidence.PodSigterm, "v1", 0, 10*second),
			verdict.Inconclusive, "both-orders", moved(evidence.PodSigterm, "v1", 1, 10*second)},
		{"an old pod whose end nobody saw", drainedRecorded, asking(verdict.NoFailures(), verdict.MinTerminations(6)),
			dropped(evidence.PodDeleting, "v1", 1), verdict.Inconclusive, "min-terminations", nil},
		{"old pods that no new connection reaches any more", drainedRecorded, asking(verdict.NoFailures(), verdict.ReachesTerminating()),
			all(moved(evidence.EndpointNotReady, "v1", 0, 10*second), moved(evidence.EndpointGone, "v1", 0, 10*second)),
			verdict.Inconclusive, "reaches-terminating", nil},
		{"a rollout that is done before a node is drained", drainedRecorded, asking(verdict.NoFailures(), verdict.StepInRollout("drain")),
			movedTo(evidence.StatusDone, evidence.RolloutBegun, ""), verdict.Inconclusive, "step-in-rollout", reached("drain")},
		{"a lane that sent less than asked", drainedRecorded, asking(verdict.FullRate(99)),
			hitsDropped(func(_ *recording, h evidence.Hit) bool { return h.Lane == lane && h.Seq%10 == 9 }), verdict.Inconclusive, "full-rate", nil},
		{"maintenance in which no client sent a request", drainedRecorded, asking(verdict.SentInMaintenance(second)),
			agentsAway(second, 4*second), verdict.Inconclusive, "sent-in-maintenance", maintained(second, 4*second)},
		{"maintenance that changed nothing", drainedRecorded, asking(verdict.NoFailures(), verdict.SomethingChanged()),
			unchanged, verdict.Inconclusive, "something-changed", maintained(0, 4*second)},
	}
}

// unchanged drops what pods and nodes did after maintenance had begun, and replies of a version that began then.
func unchanged(r *recording) {
	begun := r.at(evidence.DisruptionBegun)
	hitsDropped(func(r *recording, h evidence.Hit) bool { return h.By.Version == r.Run.NewVersion })(r)
	r.Events = slices.DeleteFunc(r.Events, func(e evidence.Event) bool {
		return e.At >= begun && (e.By.Pod != "" || strings.HasPrefix(string(e.Kind), "node-"))
	})
}

// maintained adds maintenance from one time since the rollout began to another, in which agents may be away.
func maintained(from, to time.Duration) spoil {
	return func(r *recording) {
		begun := r.at(evidence.RolloutBegun)
		r.Run.Disruption = &evidence.Disruption{Expects: []string{evidence.AgentLost}, Tail: time.Hour}
		r.Events = append(r.Events, evidence.Event{At: begun + from, Kind: evidence.DisruptionBegun},
			evidence.Event{At: begun + to, Kind: evidence.DisruptionUndone}, evidence.Event{At: begun + to, Kind: evidence.ClusterWhole})
	}
}

// agentsAway makes the agents of all lanes be away from one time since the rollout began to another.
func agentsAway(from, to time.Duration) spoil {
	return func(r *recording) {
		begun := r.at(evidence.RolloutBegun)
		for _, l := range r.Run.Lanes {
			hits := r.sent(l.ID, from, to)
			first, last := hits[0].Seq, hits[len(hits)-1].Seq
			r.Run.Absences = append(r.Run.Absences, evidence.Absence{Lane: l.ID, From: first, To: last + 1, Since: begun + from,
				Until: begun + to, Why: "its node booted"})
			in := func(lane string, seq uint64) bool { return lane == l.ID && first <= seq && seq <= last }
			r.Hits = slices.DeleteFunc(r.Hits, func(h evidence.Hit) bool { return in(h.Lane, h.Seq) })
			r.Arrivals = slices.DeleteFunc(r.Arrivals, func(a evidence.Arrival) bool { return in(a.Lane, a.Seq) })
		}
	}
}

// failingAround makes agents be away, and requests of a lane fail for a second before and after that.
func failingAround(from, to time.Duration) spoil {
	return all(failing(lane, evidence.Refused, from-second, from), failing(lane, evidence.Refused, to, to+second), agentsAway(from, to))
}

// inFlight makes the last request of a lane before its absence one whose outcome is not known.
func inFlight(lane string) spoil {
	return func(r *recording) {
		i := slices.IndexFunc(r.Run.Absences, func(a evidence.Absence) bool { return a.Lane == lane })
		last := r.Run.Absences[i].From - 1
		r.Run.Absences[i].Unknown = []uint64{last}
		hitsDropped(func(_ *recording, h evidence.Hit) bool { return h.Lane == lane && h.Seq == last })(r)
	}
}

func all(edits ...spoil) spoil {
	return func(r *recording) {
		for _, e := range edits {
			e(r)
		}
	}
}
