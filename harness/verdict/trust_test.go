package verdict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
)

// rolledOut returns a rollout without a fault of which everything was recorded: from two nodes, with pods' logs.
func rolledOut(expect ...evidence.Expectation) recording {
	ev := rollout(expect...)
	ev.Run.Lanes[1].ID, ev.Run.Lanes[1].Node = "worker2-reused", "worker2"
	on("worker-reused", func(h *evidence.Hit) { h.Lane, h.Reused, h.LocalPort = "worker2-reused", true, 40000 })(&ev)
	all(observed("worker", "worker2"), seenUntil("worker", 2000), seenUntil("worker2", 2000),
		with(pod(0, evidence.PodCreated, "v1", "a")), with(pod(0, evidence.PodCreated, "v1", "b")),
		with(pod(550, evidence.PodCreated, "v2", "c")), with(pod(760, evidence.PodCreated, "v2", "d")),
		with(pod(0, evidence.EndpointReady, "v1", "a")), with(pod(0, evidence.EndpointReady, "v1", "b")),
		left("a", 700), left("b", 850), sigterm("a", 780), sigterm("b", 1100),
		ruleAdded("worker", "a", 0), ruleAdded("worker2", "a", 0), ruleAdded("worker", "b", 0), ruleAdded("worker2", "b", 0),
		ruleGone("worker", "a", 720), ruleGone("worker2", "a", 730), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 910),
		with(pod(790, evidence.PodExited, "v1", "a")), with(pod(1190, evidence.PodExited, "v1", "b")),
		scaled(510, "v2", 1), noting("revision", "2"), with(mark(1250, evidence.Barrier)), logged(nil))(&ev)
	return ev
}

// brokenRollout returns a rollout in which every rule but full-rate fails.
func brokenRollout(expect ...evidence.Expectation) recording {
	ev := rolledOut(expect...)
	all(breaking("worker-fresh", evidence.Refused, 70, 71, 72), breaking("worker2-reused", evidence.Reset, 74, 75),
		answering("worker-fresh", "v9", 150), answering("worker2-reused", "v1", 160),
		on("worker2-reused", func(h *evidence.Hit) { h.Attempts = 2 }, 90),
		on("worker-fresh", func(h *evidence.Hit) { h.By = evidence.Server{Version: "v1", Pod: "b"} }, 110),
		keeping(nil, func(e evidence.Event) bool { return e.Kind != evidence.RuleGone && e.Kind != evidence.PodExited }),
		with(pod(510, evidence.PodDeleting, "v1", "a")), with(pod(510, evidence.PodDeleting, "v1", "b")),
		with(pod(520, evidence.PodCreated, "v2", "e")), with(pod(880, evidence.PodExited, "v1", "b")),
		scaled(505, "v2", 2), noting("revision", "2", "3"),
		ruleGone("worker", "a", 1120), ruleGone("worker2", "a", 1130), ruleGone("worker", "b", 1300), ruleGone("worker2", "b", 1310),
		logged(nil))(&ev)
	return ev
}

// recordedReason adds a reason that the recorder noted.
func recordedReason(id string, scope evidence.Scope) edit {
	return func(ev *recording) {
		ev.Run.Reasons = []evidence.Reason{{ID: id, Because: "so it was", Scope: scope}}
	}
}

// awayFor lets a lane's agent leave numbers out; the pods got the requests that were in flight when it went away.
func awayFor(lane string, from, to uint64, unknown ...uint64) edit {
	absence := evidence.Absence{Lane: lane, From: from, To: to, Since: time.Duration(from+1) * 10 * ms, Until: time.Duration(to) * 10 * ms,
		Unknown: unknown, Why: "its container started again"}
	return all(keeping(func(h evidence.Hit) bool {
		return h.Lane != lane || !absence.Skips(h.Seq) && !slices.Contains(unknown, h.Seq)
	}, nil),
		func(ev *recording) {
			ev.Run.Absences = append(ev.Run.Absences, absence)
			ev.Arrivals = slices.DeleteFunc(ev.Arrivals, func(a evidence.Arrival) bool { return a.Lane == lane && absence.Skips(a.Seq) })
		})
}

// awayTogether is awayFor of both lanes of worker through the Service, during maintenance that may take their agent away.
func awayTogether(from, to uint64, unknown ...uint64) edit {
	return all(disrupted("", evidence.AgentLost), awayFor("worker-fresh", from, to, unknown...), awayFor("worker-reused", from, to))
}

func damaging(file string) edit {
	return func(ev *recording) {
		ev.Damage = append(ev.Damage, evidence.Damage{File: file, Text: file + ": it is cut off"})
	}
}

func late(h *evidence.Hit) { h.Due -= min(h.Due, 120*ms) }

// moveEnd lets the load and the observation of the nodes last longer.
func moveEnd(ev *recording, at time.Duration) {
	for i := range ev.Events {
		if e := &ev.Events[i]; e.Kind == evidence.LoadEnded || e.Kind == evidence.NodeBusy {
			e.At = at
		}
	}
}

// logs returns the arrivals of a lane, of one request or of all.
func logs(lane string, seqs ...uint64) func(evidence.Arrival) bool {
	return func(a evidence.Arrival) bool {
		return a.Lane == lane && (len(seqs) == 0 || slices.Contains(seqs, a.Seq))
	}
}

func expectations() []evidence.Expectation {
	return []evidence.Expectation{
		verdict.NoFailures(), verdict.NoLostReplies(), verdict.NoHiddenRetries(), verdict.MaxOutage(15 * ms),
		verdict.RulesBeforeSigterm(), verdict.MaxRuleLag(100 * ms), verdict.MaxDrainLag(200 * ms),
		verdict.MinAvailable(1), verdict.MaxPods(4), verdict.Scaling("v2:1"), verdict.OldAtStatus(1),
		verdict.Between(evidence.PodSigterm, evidence.PodExited, 0, time.Second),
		verdict.OnlyServes("v2", evidence.Barrier), verdict.Serves("v1", "v2"), verdict.CleanCut(),
		verdict.Fact("revision", "2"), verdict.FullRate(99),
	}
}

// A distrustRow is what is wrong with a recording, and the reason that is found first.
type distrustRow struct {
	sentence string
	spoil    edit
	id       string
	because  string
}

// What was not recorded, or contradicts itself.
var incompleteRows = []distrustRow{
	{"a stage that failed", recordedReason(evidence.StageFailed, evidence.Scope{}), "stage-failed", "so it was"},
	{"a rollout that never ended", all(without(evidence.OldGone), without(evidence.Barrier), recordedReason(evidence.NeverSettled, evidence.Scope{})),
		"never-settled", "so it was"},
	{"a rollout of a user that cannot end", noting(evidence.Unfinished, "the rollout cannot end: no node takes pod c"),
		"never-settled", "the rollout cannot end: no node takes pod c"},
	{"a cluster that was not clean", recordedReason(evidence.UncleanCluster,
		evidence.Scope{Missed: evidence.Subjects(), Doubted: evidence.Subjects()}), "unclean-cluster", "so it was"},
	{"an agent that died", recordedReason(evidence.AgentLost, evidence.Scope{Missed: evidence.Requests(),
		Doubted: []evidence.Subject{evidence.AboutFailures, evidence.AboutLatencies}, Lanes: []string{"worker2-reused"}}),
		"agent-lost", "so it was"},
	{"all agents that died", recordedReason(evidence.AgentLost, evidence.Scope{Missed: evidence.Requests(),
		Doubted: []evidence.Subject{evidence.AboutFailures, evidence.AboutLatencies},
		Lanes:   []string{"worker-fresh", "worker2-reused", "control"}}), "agent-lost", "so it was"},
	{"an agent that was away for a while", awayFor("worker2-reused", 160, 170, 158), "agent-lost",
		"the load agent of worker2 was away for 0.090 s from 1.610 s on: its container started again, and 10 requests of worker2-reused " +
			"were left out; the outcome of 1 request in flight is unknown"},
	{"all agents that were away", all(awayFor("worker2-reused", 160, 170), awayFor("worker-fresh", 160, 170), awayFor("control", 160, 170)),
		"agent-lost", "the load agent of worker was away for 0.090 s from 1.610 s on: its container started again, and 20 requests of " +
			"worker-fresh and control were left out"},
	{"hits that contradict each other", on("worker-fresh", func(h *evidence.Hit) { h.Seq = 6 }, 7),
		"contradiction", `hits.parquet: lane "worker-fresh": seq 6 repeats a sequence number (1 in all)`},
	{"a control lane's hits that contradict each other", on("control", func(h *evidence.Hit) { h.Seq = 6 }, 7),
		"contradiction", `hits.parquet: lane "control": seq 6 repeats a sequence number (1 in all)`},
	{"a reply that no pod logged", func(ev *recording) { ev.Arrivals = slices.DeleteFunc(ev.Arrivals, logs("worker-fresh", 7)) },
		"contradiction", `arrivals.parquet: lane "worker-fresh": seq 7 was answered, but logged by no pod (1 in all)`},
	{"a request of which only the pod knows", keeping(func(h evidence.Hit) bool { return h.Lane != "worker-fresh" || h.Seq < 199 }, nil),
		"contradiction", `arrivals.parquet: lane "worker-fresh": seq 199 was logged by a pod, but has no hit (1 in all)`},
	{"hits that cannot be read", damaging(evidence.HitsFile), "damaged-file", "hits.parquet: it is cut off"},
	{"arrivals that cannot be read", damaging(evidence.ArrivalsFile), "damaged-file", "arrivals.parquet: it is cut off"},
	{"events that cannot be read", damaging(evidence.EventsFile), "damaged-file", "events.jsonl: it is cut off"},
	{"a watch that was blind", with(evidence.Event{At: 700 * ms, Kind: evidence.WatchGap, Detail: "600ms"}),
		"watch-blind", "a watch was blind until 0.700 s (600ms)"},
	{"an observer that stopped",
		with(evidence.Event{At: 1400 * ms, Kind: evidence.RecorderLost, Object: "worker2", Detail: "rules of worker2"}),
		"observer-lost", "a recorder was lost at 1.400 s (rules of worker2)"},
	{"a pod's log that was not read to its end", with(evidence.Event{At: 700 * ms, Kind: evidence.RecorderLost, Detail: "log of b",
		By: evidence.Server{Pod: "b"}}), "pod-log-lost", "a recorder was lost at 0.700 s (log of b)"},
	{"no begin of the load", without(evidence.LoadBegun), "missing-mark", `mark "load-begun" is missing`},
	{"no begin of the rollout", without(evidence.RolloutBegun), "missing-mark", `mark "rollout-begun" is missing`},
	{"no end of the old version", all(without(evidence.OldGone), without(evidence.Barrier)), "missing-mark", `mark "old-gone" is missing`},
	{"no end of the load", without(evidence.LoadEnded), "missing-mark", `mark "load-ended" is missing`},
}

// Clients that sent nothing, too little or late.
var lateRows = []distrustRow{
	{"no lane at all", func(ev *recording) { ev.Run.Lanes, ev.Hits, ev.Arrivals = nil, nil, nil }, "no-lanes", "the run has 0 lanes"},
	{"a lane without a hit", all(keeping(func(h evidence.Hit) bool { return h.Lane != "worker2-reused" }, nil),
		func(ev *recording) { ev.Arrivals = slices.DeleteFunc(ev.Arrivals, logs("worker2-reused")) }),
		"empty-lane", `hits.parquet: lane "worker2-reused" has 0 hits`},
	{"a lane that was asked for nothing", func(ev *recording) { ev.Run.Lanes[0].Rate = 0 },
		"under-rate", "worker-fresh achieved 100.0 of 0 requests per second, under 99 %"},
	{"a lane under its rate", func(ev *recording) { ev.Run.Lanes[0].Rate = 102 },
		"under-rate", "worker-fresh achieved 100.0 of 102 requests per second, under 99 %"},
	{"a control lane under its rate", func(ev *recording) { ev.Run.Lanes[2].Rate = 102 },
		"under-rate", "control achieved 100.0 of 102 requests per second, under 99 %"},
	{"a generator that lags", on("worker-fresh", late, 150, 151, 152),
		"late-lane", "worker-fresh sent 1 % of its requests 0.120 s late or later, over 0.100 s"},
	{"all generators that lag", all(on("worker-fresh", late, 150, 151, 152), on("worker2-reused", late, 150, 151, 152)),
		"late-lane", "worker-fresh sent 1 % of its requests 0.120 s late or later, over 0.100 s"},
	{"a generator that lags on a busy node",
		all(on("worker-fresh", late, 150, 151, 152), busy(100, 300), busy(200, 995), busy(300, 400), busy(2500, 1000)),
		"late-lane", "worker-fresh sent 1 % of its requests 0.120 s late or later, over 0.100 s (its node's processors were " +
			"40 % busy half of the time, 99 % at most)"},
	{"a generator that lags on a node whose host is busy",
		all(on("worker-fresh", late, 150, 151, 152), busy(100, 300), stolen(100, 310), busy(200, 995), stolen(200, 170),
			busy(300, 400), stolen(2500, 990)),
		"late-lane", "worker-fresh sent 1 % of its requests 0.120 s late or later, over 0.100 s (its node's processors were " +
			"40 % busy half of the time, 99 % at most; other machines of its host took 31 % at most)"},
	{"a generator that stood still for a moment", on("worker-fresh", func(h *evidence.Hit) { h.Due -= 1100 * ms }, 150),
		"stalled-lane", "worker-fresh sent a request 1.100 s late, over 1.000 s"},
	{"a host that lags", all(func(ev *recording) { ev.Run.Lanes[0].Vantage, ev.Run.Lanes[0].Node = evidence.FromHost, "" },
		on("worker-fresh", late, 150, 151, 152)),
		"late-lane", "worker-fresh sent 1 % of its requests 0.120 s late or later, over 0.100 s"},
}

// Hosts, nodes and agents that failed, and failures that no rollout caused.
var unhealthyRows = []distrustRow{
	{"a name that the client's host could not resolve", breaking("worker-fresh", evidence.Unresolved, 150, 151),
		"host-fault", "the host of worker-fresh could not resolve the name: 2 requests failed (unresolved)"},
	{"likewise, before any change", breaking("worker-fresh", evidence.Unresolved, 1),
		"host-fault", "the host of worker-fresh could not resolve the name: 1 request failed (unresolved)"},
	{"local ports that were used up", breaking("worker-fresh", evidence.NoLocalPort, 150),
		"host-fault", "the host of worker-fresh had no local port left: 1 request failed (no_local_port)"},
	{"a route that was gone", breaking("worker-fresh", evidence.NoRoute, 150),
		"host-fault", "the host of worker-fresh had no route to the address: 1 request failed (no_route)"},
	{"a node that was not ready", with(evidence.Event{At: 700 * ms, Kind: evidence.NodeUnready, Object: "worker"}),
		"node-unready", "node worker was not ready at 0.700 s"},
	{"a node whose connection table is nearly full",
		with(evidence.Event{At: 700 * ms, Kind: evidence.NodeConntrack, Object: "worker", Count: 901, Detail: "236192 of 262144"}),
		"full-conntrack", "the connection table of worker held 236192 of 262144, over 90 %"},
	{"lanes that fell silent", func(ev *recording) { moveEnd(ev, 8*time.Second) },
		"silent-agent", "worker-fresh sent its last request 6.000 s before the load ended"},
	{"lanes that woke up late", func(ev *recording) {
		for i := range ev.Hits {
			ev.Hits[i].Due, ev.Hits[i].Sent, ev.Arrivals[i].At = ev.Hits[i].Due+6*time.Second, ev.Hits[i].Sent+6*time.Second, 7*time.Second
		}
		for i := range ev.Events {
			if e := &ev.Events[i]; e.Kind != evidence.LoadBegun {
				e.At += 6 * time.Second
			}
		}
	}, "silent-agent", "worker-fresh sent its first request 6.010 s after the load began"},
	{"a client that fell silent", func(ev *recording) { moveEnd(ev, 7100*ms) },
		"silent-agent", "worker-fresh sent its last request 5.100 s before the load ended"},
	{"a failure before the rollout", breaking("worker-fresh", evidence.Refused, 48),
		"early-failures", "1 request failed (1 refused) before any change (by kind: 1 refused; sent: at 0.490 s, " +
			"0.010 s before the rollout began; lanes: worker-fresh; pod phase: 1 ready (first b, since 0.490 s); requests: seq 48)"},
	{"a failure before the load", all(breaking("worker-fresh", evidence.Refused, 0), func(ev *recording) { ev.Events[2].At = 15 * ms }),
		"early-failures", "1 request failed (1 refused) before any change (by kind: 1 refused; sent: at 0.010 s, " +
			"0.490 s before the rollout began; lanes: worker-fresh; pod phase: 1 ready (first b, since 0.010 s); requests: seq 0)"},
	{"a failure on the control lane", breaking("control", evidence.Timeout, 150),
		"control-failures", "1 request failed (1 timeout) on the control lane, which no rollout touches (by kind: 1 timeout; " +
			"sent: at 1.510 s, 1.010 s after the rollout began; lanes: control; requests: seq 150)"},
}

// The golden file has what each reason makes unknown of a rollout without a fault, and which failures of a broken one stay certain.
func TestDistrust(t *testing.T) {
	var told strings.Builder
	var ids []string
	for _, x := range expectations() {
		ids = append(ids, x.Rule)
	}
	for _, row := range slices.Concat(incompleteRows, lateRows, unhealthyRows) {
		t.Run(row.sentence, func(t *testing.T) {
			clean, broken := rolledOut(expectations()...), brokenRollout(expectations()...)
			row.spoil(&clean)
			row.spoil(&broken)
			v := judge(t, clean)
			if diff := cmp.Diff(row.because, v.Distrust[0].Because); diff != "" {
				t.Errorf("because (-want +got):\n%s", diff)
			}
			if v.Distrust[0].ID != row.id || !slices.ContainsFunc(verdict.Reasons(), func(k verdict.ReasonKind) bool { return k.ID == row.id }) {
				t.Errorf("the reason is %s, want %s, which is a kind", v.Distrust[0].ID, row.id)
			}
			unknown := rulesThat(v, func(f verdict.Finding) bool { return f.Outcome == verdict.Inconclusive })
			want := verdict.Pass
			if len(unknown) > 0 {
				want = verdict.Inconclusive
			}
			if v.Outcome != want || v.Distrusted != (want == verdict.Inconclusive) {
				t.Errorf("without a fault it is %s, want %s: %s", v.Outcome, want, v.Because)
			}
			w := judge(t, broken)
			fails := rulesThat(w, func(f verdict.Finding) bool { return f.Outcome == verdict.Fail })
			if want := len(fails) > 0; w.Outcome == verdict.Pass || want != (w.Outcome == verdict.Fail) {
				t.Errorf("with faults it is %s: %s", w.Outcome, w.Because)
			}
			fmt.Fprintf(&told, "%s\n", row.sentence)
			for _, r := range v.Distrust {
				fmt.Fprintf(&told, "  %s\n", r.ID)
			}
			fmt.Fprintf(&told, "  leaves unknown: %s\n  still fail: %s\n\n", named(unknown, ids), named(fails, ids))
		})
	}
	golden.File(t, "testdata/distrust.txt", told.String())
}

func rulesThat(v verdict.Verdict, is func(verdict.Finding) bool) (ids []string) {
	for _, f := range v.Findings {
		if is(f) {
			ids = append(ids, f.Rule)
		}
	}
	return ids
}

func named(some, all []string) string {
	switch len(some) {
	case 0:
		return "none"
	case len(all):
		return "all"
	}
	return strings.Join(some, ", ")
}

// Without a reason for distrust every rule holds on rolledOut, and only full-rate on brokenRollout.
func TestDistrustOfNothing(t *testing.T) {
	if v := judge(t, rolledOut(expectations()...)); v.Outcome != verdict.Pass || len(v.Distrust) > 0 {
		t.Errorf("without a fault: %s: %s; distrust %+v", v.Outcome, v.Because, v.Distrust)
		for _, f := range v.Findings {
			t.Log(f.Rule, f.Outcome, f.Because)
		}
	}
	v := judge(t, brokenRollout(expectations()...))
	if len(v.Distrust) > 0 {
		t.Errorf("with faults: distrust %+v", v.Distrust)
	}
	passes := rulesThat(v, func(f verdict.Finding) bool { return f.Outcome != verdict.Fail })
	if !slices.Equal(passes, []string{"full-rate"}) {
		t.Errorf("with faults only full-rate should hold: %s", passes)
	}
}

// Once clients send no more, the load goes on until the last reply has come.
func TestRepliesThatEndTheLoad(t *testing.T) {
	for _, row := range []struct {
		sentence string
		took     time.Duration
		silent   bool
	}{
		{"the last reply took until the end", 6 * time.Second, false},
		{"it came long before", 500 * time.Millisecond, true},
	} {
		ev := rolledOut(expectations()...)
		moveEnd(&ev, 8*time.Second)
		ev.Hits[len(ev.Hits)-1].Took = row.took
		v := judge(t, ev)
		if got := slices.ContainsFunc(v.Distrust, func(r verdict.Reason) bool { return r.ID == "silent-agent" }); got != row.silent {
			t.Errorf("%s: silent %t, want %t: %v", row.sentence, got, row.silent, v.Distrust)
		}
	}
}
