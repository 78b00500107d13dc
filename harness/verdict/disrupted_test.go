package verdict_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
)

// disrupted adds a disruption of a node from 600 ms on, undone at 1 s, after which the cluster is whole at 1.1 s.
// Without a name it names no node.
func disrupted(node string, expects ...string) edit {
	return all(func(ev *recording) {
		ev.Run.Disruption = &evidence.Disruption{ID: "cut", Does: "it is cut off", Expects: expects, Tail: 100 * ms}
		if node != "" {
			ev.Run.Disruption.Nodes = []string{node}
		}
	}, with(mark(600, evidence.DisruptionBegun)), with(mark(1000, evidence.DisruptionUndone)), with(mark(1100, evidence.ClusterWhole)))
}

func nodeUnready(node string, at int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.NodeUnready, Object: node})
}

// What a disruption expects is not a reason for distrust on its nodes and while it lasts. Everything else is.
func TestDisruptionExcusesWhatItExpects(t *testing.T) {
	for _, row := range []struct {
		sentence string
		edit     edit
		distrust string // the id of the reason; empty: none
	}{
		{"the node that is disrupted is not ready meanwhile", all(disrupted("worker", "node-unready"), nodeUnready("worker", 700)), ""},
		{"and just before the cluster is whole for long enough", all(disrupted("worker", "node-unready"), nodeUnready("worker", 1199)), ""},
		{"but not later", all(disrupted("worker", "node-unready"), nodeUnready("worker", 1200)), "node-unready"},
		{"nor before it begins", all(disrupted("worker", "node-unready"), nodeUnready("worker", 599)), "node-unready"},
		{"another node is not ready", all(disrupted("worker", "node-unready"), nodeUnready("worker2", 700)), "node-unready"},
		{"it does not expect that reason", all(disrupted("worker", "control-failures"), nodeUnready("worker", 700)), "node-unready"},
		{"requests of a control lane fail meanwhile", all(disrupted("worker", "control-failures"),
			breaking("control", evidence.Timeout, 70)), ""},
		{"requests of a control lane fail later", all(disrupted("worker", "control-failures"), breaking("control", evidence.Timeout, 150)),
			"control-failures"},
		{"a pod on its node is killed, with the end of its log", all(disrupted("worker", "pod-log-lost"), with(evidence.Event{At: 700 * ms,
			Kind: evidence.RecorderLost, By: evidence.Server{Pod: "a", Node: "worker"}, Detail: "log of a: killed"})), ""},
		{"a pod on another node is killed, with the end of its log", all(disrupted("worker", "pod-log-lost"), with(evidence.Event{At: 700 * ms,
			Kind: evidence.RecorderLost, By: evidence.Server{Pod: "a", Node: "worker2"}, Detail: "log of a: killed"})), "pod-log-lost"},
		{"the observer of its rules ends", all(disrupted("worker", "observer-lost"), with(evidence.Event{At: 700 * ms,
			Kind: evidence.RecorderLost, Object: "worker", Detail: "it ended"})), ""},
		{"its agent is away until just after its node booted", all(disrupted("worker", evidence.AgentLost), awayUntil(20*time.Second),
			with(evidence.Event{At: 6 * time.Second, Kind: evidence.NodeChanged, Object: "worker", Detail: evidence.Booted})), ""},
		{"its agent stays away when its node had booted", all(disrupted("worker", evidence.AgentLost), awayUntil(20*time.Second),
			with(evidence.Event{At: 4 * time.Second, Kind: evidence.NodeChanged, Object: "worker", Detail: evidence.Booted})), evidence.AgentLost},
		{"the observer of another's rules ends", all(disrupted("worker", "observer-lost"), with(evidence.Event{At: 700 * ms,
			Kind: evidence.RecorderLost, Object: "worker2", Detail: "it ended"})), "observer-lost"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.NoFailures())
			row.edit(&ev)
			v := judge(t, ev)
			var ids []string
			for _, r := range v.Distrust {
				ids = append(ids, r.ID)
			}
			if got := strings.Join(ids, " "); got != row.distrust {
				t.Errorf("distrusted for %q, want %q", got, row.distrust)
			}
		})
	}
}

// awayUntil lets the lanes of worker send their last 50 requests so much later, after an absence.
func awayUntil(end time.Duration) edit {
	return func(ev *recording) {
		const first, interval = 150, 10 * ms
		to := uint64(end/interval) - 1 // is due at end
		for i := range ev.Hits {
			if h := &ev.Hits[i]; h.Seq >= first {
				h.Seq += to - first
				h.Due += time.Duration(to-first) * interval
				h.Sent = h.Due
			}
		}
		for _, lane := range ev.Run.Lanes {
			ev.Run.Absences = append(ev.Run.Absences, evidence.Absence{Lane: lane.ID, From: first, To: to, Since: (first + 1) * interval, Until: end,
				Why: "its container started again"})
		}
		without(evidence.LoadEnded)(ev)
		without(evidence.ClusterWhole)(ev)
		ev.Events = append(ev.Events, evidence.Event{At: end + time.Second, Kind: evidence.LoadEnded},
			evidence.Event{At: end + time.Second, Kind: evidence.ClusterWhole})
	}
}

// A pod whose node boots has another address afterwards, which its control lane does not know. That excuses no other lane; the
// control lane from the pod's own node still shows whether nodes reach each other.
func TestControlLaneWhosePodLostItsAddress(t *testing.T) {
	changed := func(node string, at int, detail string) edit {
		return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.NodeChanged, Object: node, Detail: detail})
	}
	failing := func(from, to uint64) edit {
		var seqs []uint64
		for seq := from; seq < to; seq++ {
			seqs = append(seqs, seq)
		}
		return breaking("control", evidence.Timeout, seqs...)
	}
	off := all(disrupted("worker2", "control-failures"), failing(70, 200))
	for _, row := range []struct {
		sentence string
		target   string
		edit     edit
		trusted  bool
	}{
		{"its node booted, and it is never answered again", "worker2", all(off, changed("worker2", 900, "booted")), true},
		{"a request failed before the disruption, too", "worker2", all(off, failing(55, 56), changed("worker2", 900, "booted")), false},
		{"its node did not boot", "worker2", off, false},
		{"its node has another kubelet", "worker2", all(off, changed("worker2", 900, "kubelet v1.37.2")), false},
		{"another node booted", "worker2", all(off, changed("worker", 900, "booted")), false},
		{"its node booted, and it is answered again, and then not", "worker2",
			all(disrupted("worker2", "control-failures"), failing(70, 100), failing(150, 200), changed("worker2", 900, "booted")), false},
		{"its node booted once the disruption was over", "worker2",
			all(disrupted("worker2", "control-failures"), failing(124, 200), changed("worker2", 1250, "booted")), false},
		{"its node booted, but the disruption does not expect failures", "worker2",
			all(disrupted("worker2"), failing(89, 200), changed("worker2", 900, "booted")), false},
		{"its own node booted, and it does not reach the other", "worker2",
			all(disrupted("worker", "control-failures"), failing(70, 200), changed("worker", 900, "booted")), false},
		{"where its pod is was not noted", "", all(off, changed("worker2", 900, "booted")), false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.NoFailures())
			ev.Run.Lanes[2].TargetNode = row.target
			row.edit(&ev)
			v := judge(t, ev)
			trusted := !slices.ContainsFunc(v.Distrust, func(r verdict.Reason) bool { return r.ID == "control-failures" })
			if trusted != row.trusted {
				t.Errorf("trusted: %t, want %t: %v", trusted, row.trusted, v.Distrust)
			}
		})
	}
}

// Recorded: a node lost its power. The load ended more than the 10 s of its tail after the cluster was whole, and the control lane of
// the other node timed out to its end.
func TestNodeThatWasOff(t *testing.T) {
	ev, err := store.Read(filepath.Join("testdata", "recorded", "node-off"))
	if err != nil || len(ev.Damage) > 0 {
		t.Fatal(err, ev.Damage)
	}
	hits, err := ev.Hits.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		edit     edit
		outcome  verdict.Outcome
	}{
		{"as it was recorded", all(), verdict.Pass},
		{"without a boot", keeping(nil, func(e evidence.Event) bool { return e.Detail != evidence.Booted }), verdict.Inconclusive},
		{"when the node that booted does not reach the other", breaking("worker-control", evidence.Timeout, 2200), verdict.Inconclusive},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			changed := recording{Run: ev.Run, Hits: slices.Clone(hits), Events: ev.Events}
			row.edit(&changed)
			if v := judge(t, changed); v.Outcome != row.outcome {
				t.Errorf("%s, want %s: %s", v.Outcome, row.outcome, v.Because)
			}
		})
	}
}

// While the API server is away, only what the API would have shown is unknown.
func TestExpectedAPIGapLeavesTheRest(t *testing.T) {
	gap := with(evidence.Event{At: 700 * ms, Kind: evidence.WatchGap, Detail: "away"})
	for _, row := range []struct {
		sentence string
		edit     edit
		known    verdict.Outcome // of what rests on something else than the watch
	}{
		{"expected", all(disrupted("", "watch-blind"), gap), verdict.Pass},
		{"expected of a disruption that names nodes", all(disrupted("worker", "watch-blind"), gap), verdict.Pass},
		{"not expected", all(disrupted("worker"), gap), verdict.Inconclusive},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.Fact("drain", "drained"), verdict.StepInRollout("drain"), verdict.DoneAfter(evidence.DisruptionUndone),
				verdict.RulesBeforeSigterm(), verdict.MinAvailable(1), verdict.RecoversWithin(0, evidence.DisruptionUndone))
			all(row.edit, step(650, "", "drain"), with(evidence.Event{At: 650 * ms, Kind: evidence.Fact, Object: "drain", Detail: "drained"}),
				without(evidence.StatusDone), with(mark(1100, evidence.StatusDone)),
				left("b", 850), ruleGone("worker", "b", 900), sigterm("b", 1000))(&ev)
			v := judge(t, ev)
			for i, rests := range []string{"on a fact", "on marks", "on a mark", "on nodes' rules and a pod's log"} {
				if got := v.Findings[i].Outcome; got != row.known {
					t.Errorf("%s, which rests %s: %s, want %s: %s", v.Findings[i].Rule, rests, got, row.known, v.Findings[i].Because)
				}
			}
			if got := v.Findings[4].Outcome; got != verdict.Inconclusive {
				t.Errorf("what the watch saw: %s, want inconclusive: %s", got, v.Findings[4].Because)
			}
			if got := v.Findings[5].Outcome; got != verdict.Pass {
				t.Errorf("what clients lost once it was undone, by who undid it: %s, want pass: %s", got, v.Findings[5].Because)
			}
		})
	}
}

func TestLanesOfExpectation(t *testing.T) {
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		edit     edit
		outcome  verdict.Outcome
	}{
		{"a loss on the disrupted node does not count for other nodes", verdict.NoFailures().OnOthers(),
			breaking("worker-fresh", evidence.Timeout, 70), verdict.Pass},
		{"a loss on another node is", verdict.NoFailures().OnOthers(), breaking("worker2-reused", evidence.Timeout, 70), verdict.Fail},
		{"and does not count for the disrupted node", verdict.NoFailures().OnDisrupted(),
			breaking("worker2-reused", evidence.Timeout, 70), verdict.Pass},
		{"a loss on a lane of another kind", verdict.NoFailures().OnKind("fresh"), breaking("worker2-reused", evidence.Timeout, 70),
			verdict.Pass},
		{"a loss on a lane of the kind", verdict.NoFailures().OnKind("reused"), breaking("worker2-reused", evidence.Timeout, 70),
			verdict.Fail},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rolledOut(row.expect)
			all(disrupted("worker"), row.edit)(&ev)
			if v := judge(t, ev); v.Outcome != row.outcome {
				t.Errorf("%s, want %s: %s", v.Outcome, row.outcome, v.Because)
			}
		})
	}
}

// What an absent agent did not send is not what a rule was put to.
func TestRecoversWithinIsPutToWhatWasSent(t *testing.T) {
	for _, row := range []struct {
		sentence string
		edit     edit
		exposure int
	}{
		{"both clients sent 89 requests more", disrupted("", evidence.AgentLost), 178},
		{"their agent was away but for the last request", awayTogether(111, 199), 2},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.RecoversWithin(515*ms, evidence.DisruptionBegun))
			row.edit(&ev)
			if f := judge(t, ev).Findings[0]; f.Exposure.Count != row.exposure {
				t.Errorf("put to %d, want %d: %s", f.Exposure.Count, row.exposure, f.Because)
			}
		})
	}
}

func TestRecoversWithin(t *testing.T) {
	for _, row := range []struct {
		sentence string
		within   time.Duration
		mark     evidence.EventKind
		edit     edit
		outcome  verdict.Outcome
		says     string
	}{
		{"nothing fails", 500 * ms, evidence.DisruptionBegun, all(), verdict.Pass,
			"0 requests sent later than 500 ms after disruption-begun failed"},
		{"the last that fails is sent in time", 500 * ms, evidence.DisruptionBegun, breaking("worker-fresh", evidence.Timeout, 70, 109),
			verdict.Pass,
			"last of 2 failed requests: 500 ms after disruption-begun"},
		{"one is sent later", 499 * ms, evidence.DisruptionBegun, breaking("worker-fresh", evidence.Timeout, 70, 109), verdict.Fail,
			"1 request sent later than 499 ms after disruption-begun failed (1 timeout)"},
		{"from when it was undone", 99 * ms, evidence.DisruptionUndone, breaking("worker-fresh", evidence.Timeout, 109), verdict.Fail,
			"1 request"},
		{"one is sent later, after it was undone", 300 * ms, evidence.DisruptionBegun, all(breaking("worker-fresh", evidence.Timeout, 110),
			func(ev *recording) { ev.Run.Expect[0].To = evidence.DisruptionUndone }), verdict.Pass, "0 requests sent later"},
		{"one is sent later, before it was undone", 300 * ms, evidence.DisruptionBegun, all(breaking("worker-fresh", evidence.Timeout, 95),
			func(ev *recording) { ev.Run.Expect[0].To = evidence.DisruptionUndone }), verdict.Fail, "1 request sent later"},
		{"nothing was sent so late", 3 * time.Second, evidence.DisruptionBegun, all(), verdict.Inconclusive, "not tested"},
		{"the moment never came", 500 * ms, evidence.DisruptionBegun, without(evidence.DisruptionBegun), verdict.Inconclusive,
			"disruption-begun"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.RecoversWithin(row.within, row.mark))
			all(disrupted("worker"), row.edit)(&ev)
			v := judge(t, ev)
			if v.Outcome != row.outcome || !strings.Contains(v.Because, row.says) {
				t.Errorf("%s: %s, want %s: …%s…", v.Outcome, v.Because, row.outcome, row.says)
			}
		})
	}
}
