package verdict_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Every rule can pass, fail and be inconclusive, and the order in which events were noted changes no finding, nor does JSON.
func TestDrawnRecordings(t *testing.T) {
	seen := map[string]map[verdict.Outcome]int{}
	for seed := range uint64(120) {
		ev := draw(seed)
		v := judge(t, ev)
		for _, f := range v.Findings {
			if seen[f.Rule] == nil {
				seen[f.Rule] = map[verdict.Outcome]int{}
			}
			seen[f.Rule][f.Outcome]++
		}
		if diff := cmp.Diff(v, throughJSON(t, v)); diff != "" {
			t.Errorf("recording %d (-verdict +its JSON):\n%s", seed, diff)
		}
		random := rand.New(rand.NewPCG(seed, 1))
		random.Shuffle(len(ev.Events), func(i, j int) { ev.Events[i], ev.Events[j] = ev.Events[j], ev.Events[i] })
		if again := judge(t, ev); again.Outcome != v.Outcome || again.Because != v.Because {
			t.Errorf("recording %d is %s (%s), and with its events in another order %s (%s)", seed, v.Outcome, v.Because, again.Outcome,
				again.Because)
		}
	}
	for _, rule := range verdict.Rules() {
		can := []verdict.Outcome{verdict.Pass, verdict.Fail, verdict.Inconclusive}
		if rule.Precondition || slices.Contains([]string{"noted", "full-rate", "sent-in-maintenance"}, rule.ID) {
			can = slices.DeleteFunc(can, func(o verdict.Outcome) bool { return o == verdict.Fail })
		}
		for _, outcome := range can {
			if seen[rule.ID][outcome] == 0 {
				t.Errorf("%s is never %s: %v", rule.ID, outcome, seen[rule.ID])
			}
		}
	}
}

func throughJSON(t *testing.T, v verdict.Verdict) (read verdict.Verdict) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// draw returns a random recording of at most 12 s, with an expectation of every rule: pods that live, flap, restart, are killed or stay,
// nodes whose rules follow late, never or unseen, clocks that differ, processes that wait, a slow API server, maintenance, a disruption,
// faults of each kind.
func draw(seed uint64) recording {
	r := rand.New(rand.NewPCG(seed, 7))
	pick := func(n int) int { return r.IntN(n) }
	chance := func(percent int) bool { return r.IntN(100) < percent }
	at := func(from, to int) time.Duration {
		if to <= from {
			to = from + 1
		}
		return time.Duration(from+pick(to-from)) * ms
	}
	var d recording
	add := func(e evidence.Event) { d.Events = append(d.Events, e) }
	nodes := []string{"worker", "worker2"}
	d.Run = evidence.Run{Schema: evidence.SchemaVersion, Scenario: "drawn", OldVersion: "v1", NewVersion: "v2", Kubernetes: "v1.37.2",
		Mode: "iptables"}
	if chance(5) {
		d.Run.NewVersion = "v1"
	}
	u := time.Duration(0)
	if chance(40) {
		u = time.Duration(pick(30)) * ms
	}
	if chance(60) {
		for _, n := range nodes {
			d.Run.Clocks = append(d.Run.Clocks, evidence.ClockReading{Node: n,
				Offset: time.Duration(pick(100)-50) * ms * time.Duration(pick(2)), Uncertainty: u})
		}
	}
	offset := map[string]time.Duration{}
	for _, c := range d.Run.Clocks {
		offset[c.Node] = c.Offset
	}
	for _, n := range nodes {
		for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
			d.Run.Lanes = append(d.Run.Lanes, evidence.Lane{ID: n + "-" + string(conn), Vantage: evidence.FromPod, Node: n, Conn: conn, Rate: 10})
		}
	}
	d.Run.Lanes = append(d.Run.Lanes, evidence.Lane{ID: "control", Vantage: evidence.FromControl, Node: "worker",
		Conn: evidence.Fresh, Rate: 10, TargetNode: "worker2"},
		evidence.Lane{ID: "outside", Vantage: evidence.FromHost, Conn: evidence.Fresh, Rate: 10})
	recreate, slow := chance(20), chance(20) // old pods end first; nodes follow late
	begun, done, gone, ended := 1000, 1000+pick(3000), 0, 0
	gone = done + pick(1500)
	if recreate {
		done, gone = begun+2500, begun+2500
	}
	ended = gone + 500 + pick(7000)
	marks := map[evidence.EventKind]int{evidence.LoadBegun: 0, evidence.RolloutBegun: begun, evidence.StatusDone: done,
		evidence.OldGone: gone,
		evidence.Barrier: gone + pick(300), evidence.LoadEnded: ended}
	for _, k := range []evidence.EventKind{evidence.LoadBegun, evidence.RolloutBegun, evidence.StatusDone, evidence.OldGone,
		evidence.Barrier, evidence.LoadEnded} {
		if !chance(3) {
			add(evidence.Event{At: time.Duration(marks[k]) * ms, Kind: k})
		}
	}
	type pod struct {
		evidence.Server
		ready, deleted, left, sigterm, exit int
	}
	var pods []pod
	podEvent := func(p pod, kind evidence.EventKind, atMS int, clock bool) {
		e := evidence.Event{At: time.Duration(atMS) * ms, Kind: kind, By: p.Server}
		if clock {
			e.Clock = p.Node
			e.At += offset[p.Node]
		}
		if !chance(2) {
			add(e)
		}
	}
	observed := chance(75)
	for i := range 3 + pick(3) {
		p := pod{Server: evidence.Server{Version: "v1", Pod: fmt.Sprintf("echo-v1-%c", 'a'+i), Node: nodes[pick(2)]}, ready: -100}
		p.deleted = begun + pick(max(1, gone-begun))
		switch {
		case recreate:
			p.deleted = begun + pick(100)
		case chance(15):
			p.deleted = 1 << 30
		}
		pods = append(pods, p)
	}
	for i := range 3 + pick(3) {
		p := pod{Server: evidence.Server{Version: "v2", Pod: fmt.Sprintf("echo-v2-%c", 'a'+i), Node: nodes[pick(2)]},
			ready: begun + 50 + pick(1500), deleted: 1 << 30}
		if recreate {
			p.ready = begun + 2100 + pick(300)
		}
		pods = append(pods, p)
	}
	for i := range pods {
		p := &pods[i]
		created := max(-200, p.ready-100-pick(500))
		if p.Version == "v1" {
			created = -200
		}
		if chance(85) {
			podEvent(*p, evidence.PodCreated, max(0, created), false)
		}
		podEvent(*p, evidence.PodStarted, max(0, created+20), true)
		podEvent(*p, evidence.PodListening, max(0, p.ready+pick(60)-30), true)
		podEvent(*p, evidence.PodReady, max(0, p.ready), false)
		podEvent(*p, evidence.EndpointReady, max(0, p.ready+5), false)
		if chance(15) {
			f := pick(ended)
			podEvent(*p, evidence.PodUnready, f, false)
			podEvent(*p, evidence.EndpointNotReady, f+2, false)
			if chance(50) {
				add(evidence.Event{At: time.Duration(f-1) * ms, Kind: evidence.Reported, By: p.Server,
					Reason: "Unhealthy", Message: "Readiness probe failed: context deadline exceeded"})
			}
			podEvent(*p, evidence.PodReady, f+200+pick(1000), false)
			podEvent(*p, evidence.EndpointReady, f+205+pick(1000), false)
		}
		p.left, p.sigterm, p.exit = 1<<30, 1<<30, 1<<30
		if p.deleted < ended {
			p.left, p.sigterm = p.deleted+pick(60), p.deleted+pick(800)
			p.exit = p.sigterm + pick(500)
			podEvent(*p, evidence.PodDeleting, p.deleted, false)
			if chance(30) {
				add(evidence.Event{At: time.Duration(p.deleted+pick(1500)) * ms, Kind: evidence.Reported, By: p.Server,
					Reason: "Killing", Message: "Stopping container echo"})
			}
			podEvent(*p, evidence.EndpointNotReady, p.left, false)
			podEvent(*p, evidence.EndpointGone, p.left+pick(300), false)
			podEvent(*p, evidence.PodSigterm, p.sigterm, true)
			kind := evidence.PodExited
			if chance(10) {
				kind = evidence.PodKilled
			}
			podEvent(*p, kind, p.exit, true)
			podEvent(*p, evidence.PodGone, p.exit+pick(300), false)
		}
		if observed {
			for _, n := range nodes {
				if chance(3) {
					continue
				}
				add(evidence.Event{At: time.Duration(max(0, p.ready+20))*ms + offset[n], Clock: n, Kind: evidence.RuleAdded, Object: n, By: p.Server})
				if p.left < ended && !chance(5) {
					add(evidence.Event{At: time.Duration(p.left+pick(700)-10)*ms + offset[n], Clock: n, Kind: evidence.RuleGone, Object: n,
						By: p.Server})
				}
			}
		}
		if chance(5) { // a container that restarts
			f := pick(ended)
			podEvent(*p, evidence.PodExited, f, true)
			podEvent(*p, evidence.PodStarted, f+100, true)
			podEvent(*p, evidence.PodListening, f+150, true)
		}
	}
	if observed {
		for _, n := range nodes {
			add(evidence.Event{At: 0, Clock: n, Kind: evidence.RulesBegun, Object: n, Detail: "iptables"})
			for s := 1000; s < ended; s += 1000 {
				add(evidence.Event{At: time.Duration(s) * ms, Kind: evidence.NodeBusy, Object: n, Count: pick(1000)})
			}
			if chance(15) {
				f := pick(ended)
				add(evidence.Event{At: time.Duration(f) * ms, Kind: evidence.RulesUnseen, Object: n, Count: pick(600)})
			}
		}
	}
	for s := 0; s < ended; s += 1000 {
		took := pick(5)
		if chance(5) {
			took = pick(1500)
		}
		add(evidence.Event{At: time.Duration(s) * ms, Kind: evidence.APIAnswered, Count: took})
	}
	if chance(60) {
		add(evidence.Event{At: 0, Kind: evidence.CPUWaitBegun})
		for range pick(20) {
			f := at(100, ended)
			p := pods[pick(len(pods))]
			e := evidence.Event{At: f, Kind: evidence.CPUWait, For: 100 * ms, Count: pick(100)}
			switch pick(4) {
			case 0:
				e.By = p.Server
				e.Object = p.Node
			case 1:
				e.Object, e.Detail = nodes[pick(2)], "kubelet"
			case 2:
				e.Object, e.Detail = nodes[pick(2)], "kube-proxy"
			case 3:
				e.Object, e.Detail = "control-plane", "kube-apiserver"
			}
			add(e)
		}
	}
	if chance(10) {
		add(evidence.Event{At: at(0, ended), Kind: evidence.WatchGap, Detail: "it broke"})
	}
	if chance(5) {
		add(evidence.Event{At: at(0, ended), Kind: evidence.NodeUnready, Object: nodes[pick(2)]})
	}
	if chance(5) {
		add(evidence.Event{At: at(0, ended), Kind: evidence.RecorderLost, Object: nodes[pick(2)], Detail: "x"})
	}
	if chance(5) {
		add(evidence.Event{At: at(0, ended), Kind: evidence.StrayPod, By: evidence.Server{Pod: "stray", Version: "v9"}, Object: "echo-x",
			Detail: "its labels match"})
	}
	for range pick(3) {
		add(evidence.Event{At: at(begun, ended), Kind: evidence.Step, Detail: []string{"drain worker", "reboot", "done"}[pick(3)],
			Object: nodes[pick(2)]})
	}
	sizes := []string{}
	for i := range pick(5) {
		v := []string{"v1", "v2"}[pick(2)]
		n := pick(4)
		add(evidence.Event{At: time.Duration(begun+10+i*100) * ms, Kind: evidence.ReplicaSetScaled, Object: "echo-" + v, Detail: v, Count: n})
		sizes = append(sizes, fmt.Sprintf("%s:%d", v, n))
	}
	if chance(20) {
		add(evidence.Event{At: at(begun, ended), Kind: evidence.Reported, Object: "HorizontalPodAutoscaler/echo",
			Reason: "SuccessfulRescale", Message: fmt.Sprintf("New size: %d; reason: x", pick(4))})
	}
	if len(sizes) > 1 && chance(30) {
		sizes = sizes[:len(sizes)-1]
	}
	if chance(20) {
		sizes = append(sizes, "v2:9")
	}
	if chance(80) {
		add(evidence.Event{At: at(begun, ended), Kind: evidence.Fact, Object: "thing", Detail: []string{"a", "b", "3", "1.5s",
			"17 of 20"}[pick(5)]})
	}
	if chance(10) {
		d.Run.Disruption = &evidence.Disruption{Nodes: nodes[:1], Expects: []string{"node-unready", "control-failures", "pod-log-lost"},
			Tail: time.Second}
		add(evidence.Event{At: time.Duration(begun) * ms, Kind: evidence.DisruptionBegun, Detail: "off"})
		add(evidence.Event{At: time.Duration(gone) * ms, Kind: evidence.DisruptionUndone})
		add(evidence.Event{At: time.Duration(gone+100) * ms, Kind: evidence.ClusterWhole})
	}
	// hits
	trouble := pick(4)
	port := 0
	keep := map[string]pod{}
	for _, lane := range d.Run.Lanes {
		seq := uint64(0)
		port++
		for s := 10; s < ended; s += 100 {
			due := time.Duration(s)*ms + offset[lane.Node]
			h := evidence.Hit{Lane: lane.ID, Seq: seq, Due: due, Sent: due, Took: time.Duration(1+pick(4)) * ms, Connect: ms / 2,
				Status: 200, Attempts: 1}
			seq++
			if chance(1) && trouble == 3 {
				h.Sent += time.Duration(pick(300)) * ms
			}
			var can []pod
			for _, p := range pods {
				routed := p.left + 80
				if slow {
					routed += 700
				}
				if p.ready <= s && s <= routed {
					can = append(can, p)
				}
			}
			if len(can) == 0 && chance(95) { // where none is ready, those that terminate serve on
				can = slices.DeleteFunc(slices.Clone(pods), func(p pod) bool { return s < p.ready || p.sigterm <= s })
			}
			var to pod
			switch {
			case lane.Vantage == evidence.FromControl:
				to = pod{Server: evidence.Server{Version: "v1", Pod: "control", Node: "worker2"}, exit: 1 << 30, sigterm: 1 << 30}
			case lane.Conn == evidence.Reused && keep[lane.ID].Pod != "" && keep[lane.ID].exit > s:
				to = keep[lane.ID]
				h.Reused = true
			case len(can) > 0:
				to = can[pick(len(can))]
				if lane.Conn == evidence.Reused {
					port++
					keep[lane.ID] = to
				}
			}
			h.LocalPort = 1000 + port
			if lane.Conn == evidence.Fresh {
				h.LocalPort = 0
			}
			h.By = to.Server
			arrived := to.Pod != ""
			fail := func(f evidence.Fault) { h.Fault, h.Status, h.By = f, 0, evidence.Server{} }
			switch {
			case to.Pod == "":
				fail([]evidence.Fault{evidence.Refused, evidence.Timeout}[pick(2)])
				h.Took = 2 * time.Second * time.Duration(pick(2))
				arrived = false
			case s >= to.exit:
				fail(evidence.Refused)
				arrived = false
			case s >= to.sigterm && chance(30):
				fail([]evidence.Fault{evidence.Reset, evidence.Closed, evidence.Refused}[pick(3)])
				arrived = chance(50)
			case trouble == 1 && lane.Vantage != evidence.FromControl && s > begun && chance(2):
				fail([]evidence.Fault{evidence.Reset, evidence.Timeout, evidence.Refused}[pick(3)])
				h.Took = time.Duration(pick(2200)) * ms
				arrived = chance(50)
			case trouble == 2 && chance(1):
				fail(evidence.Timeout)
				h.Took = 2 * time.Second
			case trouble == 3 && chance(1):
				h.Took = time.Duration(pick(1800)) * ms
				if chance(50) {
					h.Connect, h.Resent = h.Took, 1
				}
			case trouble == 3 && lane.Vantage != evidence.FromControl && chance(1):
				h.By = evidence.Server{Version: "v9", Pod: "stray"}
			}
			if chance(1) && trouble == 3 {
				h.Attempts = 2
			}
			d.Hits = append(d.Hits, h)
			if arrived && lane.Vantage != evidence.FromControl && to.Pod != "" {
				by := to.Server
				if !h.Failed() {
					by = h.By
				}
				for range 1 + pick(101)/100 {
					d.Arrivals = append(d.Arrivals, evidence.Arrival{Lane: lane.ID, Seq: h.Seq, At: h.Sent - offset[lane.Node] + offset[by.Node],
						By: by})
				}
			} else if arrived {
				d.Arrivals = append(d.Arrivals, evidence.Arrival{Lane: lane.ID, Seq: h.Seq, At: h.Sent - offset[lane.Node] + offset[to.Node],
					By: to.Server})
			}
		}
	}
	if chance(5) {
		d.Arrivals = nil
	}
	dur := func() time.Duration { return time.Duration(1+pick(2000)) * ms }
	x := []evidence.Expectation{
		verdict.NoFailures(), verdict.RecoversWithin(dur(), evidence.RolloutBegun), verdict.NoLostReplies(), verdict.NoHiddenRetries(),
		verdict.ServesUntilSigterm(),
		verdict.DamageSeen(), verdict.LostWhileTerminating(), verdict.LostWhileNoneServes(evidence.Refused, evidence.Timeout),
		verdict.LostWhileStarting(),
		verdict.MinTerminationsLost(pick(100)), verdict.MaxOutage(dur()), verdict.MaxFailedShare(1 + pick(100)), verdict.MinOutage(dur()),
		verdict.ReplyGap(dur()/4, dur()), verdict.LossesAtSteps(dur(), "drain"), verdict.LostAtSteps("drain"), verdict.Pause(-dur(), dur()),
		verdict.NoSlowReplies(), verdict.MaxLatency(dur()), verdict.MaxP99(dur()), verdict.RulesBeforeSigterm(), verdict.MaxRuleLag(dur()),
		verdict.MaxDrainLag(dur()), verdict.MostDrainLags(1+pick(100), dur()/4),
		verdict.MinAvailable(1 + pick(5)), verdict.MaxPods(1 + pick(10)), verdict.Scaling(sizes...), verdict.MaxActive(1 + pick(6)),
		verdict.OldAtStatus(1 + pick(3)),
		verdict.AnswersAfter("v1", evidence.StatusDone, 1+pick(5)), verdict.MaxStatusGap(dur()), verdict.OldEndsFirst(),
		verdict.Between(evidence.PodDeleting, evidence.PodSigterm, dur()/4, dur()), verdict.Between(evidence.PodDeleting,
			evidence.EndpointNotReady, -dur(), dur()/10),
		verdict.KeptConnections("v1"), verdict.MaxSwitch(dur()), verdict.OnlyServes("v2", evidence.Barrier),
		verdict.OnlyServes("v2", evidence.OldGone),
		verdict.Serves("v1", "v2"), verdict.StillServes("v2", 1+pick(100)), verdict.Share("v2", 1+pick(99), evidence.OldGone),
		verdict.Mixes(1 + pick(4)),
		verdict.CleanCut(), verdict.MaxMixedWindow(dur()), verdict.MinMixedWindow(dur()), verdict.Fact("thing", "a", "3"),
		verdict.FactAtLeast("thing", pick(20)),
		verdict.FactWithin("thing", time.Second, time.Second+dur()), verdict.Noted("thing"), verdict.SentWhileTerminating(),
		verdict.ReachesTerminating(),
		verdict.BothOrders(), verdict.MinTerminations(1 + pick(8)),
		verdict.FullRate(99), verdict.SentInMaintenance(dur()), verdict.SomethingChanged(),
		verdict.ClientsBeforeSigterm(), verdict.OnlyServesAfter("v2", dur(), evidence.OldGone),
		verdict.LostShare(0, 5*dur(), evidence.RolloutBegun), verdict.DoneAfter(evidence.DisruptionUndone), verdict.StepInRollout("drain"),
	}
	if chance(20) {
		d.Run.Lacks = []evidence.Feature{{Name: evidence.NodeRules, Because: "not allowed"}}
		d.Events = slices.DeleteFunc(d.Events, func(e evidence.Event) bool {
			return e.Kind == evidence.RuleAdded || e.Kind == evidence.RuleGone || e.Kind == evidence.RulesBegun || e.Kind == evidence.RulesUnseen
		})
	}
	d.Run.Expect = append(x, verdict.AllAnswered("q"), verdict.AllFail("q", evidence.Refused), verdict.AnsweredBy("q", "v1"),
		verdict.EvenTurns("q", 2), verdict.EqualTurns("q", 2, evidence.Refused), verdict.AnsweredByDeleted("q", 1),
		verdict.NotAnsweredByDeleted("q"), verdict.AnsweredWithin("q", time.Second, evidence.RolloutBegun))
	asked("q", pick(4000), drawAnswers(r)...)(&d)
	d.Run.Expect = append(d.Run.Expect, verdict.VersionsOverlap(-dur(), dur()))
	return d
}

// drawAnswers draws the outcomes of at most 20 requests of steps: by pods in turn, or by random pods.
func drawAnswers(r *rand.Rand) (outcomes []string) {
	who := [][]string{{"echo-v1-a", "b"}, {"echo-v1-a", "refused"}, {"refused"}, {"echo-v1-a", "echo-v2-a"}, {"c", "timeout"}}[r.IntN(5)]
	turns := r.IntN(2) == 0
	for i := range 2 * r.IntN(11) {
		if !turns {
			i = r.IntN(len(who))
		}
		outcomes = append(outcomes, who[i%len(who)])
	}
	return outcomes
}
