package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
)

func TestRules(t *testing.T) {
	none := func(*recording) {}
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		spoil    edit
		want     verdict.Outcome
		because  string
		named    int // witnesses
	}{
		{"no failure on any lane passes", verdict.NoFailures(), none,
			verdict.Pass, "0 of 400 requests on 2 lanes failed", 0},
		{"failures on one lane are told by kind, time and number", verdict.NoFailures(),
			all(breaking("worker-fresh", evidence.Refused, 70, 71), breaking("worker-fresh", evidence.Timeout, 73)),
			verdict.Fail, "3 of 400 requests failed (2 refused, 1 timeout) between 0.710s and 0.740s on worker-fresh, 0.210s after the rollout began; by pod phase: 3 deletion seen (first a, since 0.010s): seq 70 71 73", 3},
		{"failures on two lanes carry the lane with each number", verdict.NoFailures(),
			all(breaking("worker-fresh", evidence.Reset, 71), breaking("worker-reused", evidence.Closed, 70)),
			verdict.Fail, "2 of 400 requests failed (1 reset, 1 closed) between 0.710s and 0.720s on worker-fresh and worker-reused, 0.210s after the rollout began; by pod phase: 2 deletion seen (first a, since 0.010s): seq worker-reused/70 worker-fresh/71", 2},
		{"many failures are all counted and the first 20 named", verdict.NoFailures(), breaking("worker-fresh", evidence.Refused, from(70, 99)...),
			verdict.Fail, "30 of 400 requests failed (30 refused) between 0.710s and 1.000s on worker-fresh, 0.210s after the rollout began; by pod phase: 9 deletion seen (first a, since 0.010s), 21 gone (first a, since 0.000s): seq 70 71 72 73 74 75 76 77 and 22 more", 20},
		{"a failure after the last old pod is gone is still a failure", verdict.NoFailures(), breaking("worker-fresh", evidence.Refused, 199),
			verdict.Fail, "1 of 400 requests failed (1 refused) at 2.000s on worker-fresh, 1.500s after the rollout began: seq 199", 1},

		{"a drain that was too short for this cluster is said to be so", verdict.NoFailures(),
			all(observed("worker", "worker2"), left("b", 850), ruleGone("worker", "b", 1010), ruleGone("worker2", "b", 880), sigterm("b", 900), breaking("worker-fresh", evidence.Refused, 95)),
			verdict.Fail, "1 of 400 requests failed (1 refused) at 0.960s on worker-fresh, 0.460s after the rollout began; by pod phase: 1 gone (first a, since 0.160s): seq 95; 1 over new connections while the rules of their node led to a pod that had been told to exit: b was 0.050s after its endpoint left, and those of worker led to it for 0.160s, so a drain of 1s or more is needed here", 1},
		{"a loss that no rule explains is said to be so", verdict.NoFailures(),
			all(observed("worker", "worker2"), left("b", 850), ruleGone("worker", "b", 880), ruleGone("worker2", "b", 880), sigterm("b", 900), breaking("worker-fresh", evidence.Refused, 95)),
			verdict.Fail, "1 of 400 requests failed (1 refused) at 0.960s on worker-fresh, 0.460s after the rollout began; by pod phase: 1 gone (first a, since 0.160s): seq 95; 1 over new connections although the rules of their node led to no pod that had been told to exit: no drain mends that", 1},

		{"damage over either kind of connection is enough", verdict.DamageSeen(), all(breaking("worker-reused", evidence.Reset, 70), breaking("worker-fresh", evidence.Refused, 71)),
			verdict.Pass, "of 400 requests from pods 2 failed after the rollout began (1 refused, 1 reset): 1 on worker-fresh, 1 on worker-reused", 2},
		{"kept connections break whatever the rules do, so they do not speak for others", verdict.DamageSeen(), breaking("worker-reused", evidence.Reset, 70),
			verdict.Inconclusive, "blind: of the requests from pods over fresh connections 0 failed after the rollout began, so a loss would not be seen; over others 1 did", 0},
		{"no damage means the harness is blind", verdict.DamageSeen(), none,
			verdict.Inconclusive, "blind: of 400 requests from pods 0 failed after the rollout began, so a loss would not be seen", 0},
		{"damage on a lane that resends is not enough", verdict.DamageSeen(),
			all(func(ev *recording) { ev.Run.Lanes[1].Resends = true }, breaking("worker-reused", evidence.Reset, 70)),
			verdict.Inconclusive, "blind: of 200 requests from pods 0 failed after the rollout began, so a loss would not be seen", 0},
		{"a lane that resends hides damage and does not disprove it", verdict.DamageSeen(),
			all(func(ev *recording) { ev.Run.Lanes[1].Resends = true }, breaking("worker-fresh", evidence.Reset, 70)),
			verdict.Pass, "of 200 requests from pods 1 failed after the rollout began (1 reset): 1 on worker-fresh", 1},
		{"damage only outside the cluster is not enough", verdict.DamageSeen(),
			all(func(ev *recording) { ev.Run.Lanes[1].Vantage = evidence.FromHost }, breaking("worker-reused", evidence.Reset, 70)),
			verdict.Inconclusive, "blind: of 200 requests from pods 0 failed after the rollout began, so a loss would not be seen", 0},

		{"both versions answered", verdict.Serves("v1", "v2"), none,
			verdict.Pass, "of 400 replies each version gave: v1 198, v2 202", 0},
		{"a version that never answered fails", verdict.Serves("v1", "v2", "v3"), none,
			verdict.Fail, "of 400 replies each version gave: v1 198, v2 202, v3 0", 0},
		{"a version nobody expected fails", verdict.Serves("v1", "v2"), answering("worker-fresh", "v9", 80),
			verdict.Fail, "1 of 400 replies were by v9, expected only v1 and v2: at 0.810s on worker-fresh, 0.310s after the rollout began: seq 80", 1},
		{"no version expected is no expectation", verdict.Serves(), none,
			verdict.Inconclusive, "the rule names 0 versions, so it expects nothing", 0},

		{"only the new version answers once the old is gone", verdict.OnlyServes("v2", evidence.OldGone), none,
			verdict.Pass, "all 162 replies to requests sent after old-gone (1.200s) were by v2", 0},
		{"old replies after success was reported are witnesses", verdict.OnlyServes("v2", evidence.StatusDone), none,
			verdict.Fail, "20 of 222 replies to requests sent after status-done (0.900s) were by v1, not v2: between 0.900s and 0.990s on worker-fresh and worker-reused, 0.400s after the rollout began: seq worker-fresh/89 worker-reused/89 worker-fresh/90 worker-reused/90 worker-fresh/91 worker-reused/91 worker-fresh/92 worker-reused/92 and 12 more", 20},
		{"a request sent before the mark and answered after it is no witness", verdict.OnlyServes("v2", evidence.OldGone),
			on("worker-fresh", func(h *evidence.Hit) { h.By.Version, h.Took = "v1", 500*ms }, 118),
			verdict.Pass, "all 162 replies to requests sent after old-gone (1.200s) were by v2", 0},
		{"a bad reply by the old version is a witness too", verdict.OnlyServes("v2", evidence.OldGone),
			on("worker-fresh", func(h *evidence.Hit) { h.By.Version, h.Fault = "v1", evidence.BadStatus }, 150),
			verdict.Fail, "1 of 162 replies to requests sent after old-gone (1.200s) were by v1, not v2: at 1.510s on worker-fresh, 1.010s after the rollout began: seq 150", 1},
		{"no reply after the mark decides nothing", verdict.OnlyServes("v2", evidence.OldGone),
			all(breaking("worker-fresh", evidence.Refused, from(119, 199)...), breaking("worker-reused", evidence.Refused, from(119, 199)...)),
			verdict.Inconclusive, "0 requests sent after old-gone (1.200s) were answered", 0},
		{"a mark that was not reached decides nothing", verdict.OnlyServes("v2", evidence.StatusDone), without(evidence.StatusDone),
			verdict.Inconclusive, `mark "status-done" is missing`, 0},
		{"a moment that is no mark decides nothing", verdict.OnlyServes("v2", evidence.PodReady), none,
			verdict.Inconclusive, `mark "pod-ready" is missing`, 0},

		{"no reply was lost", verdict.NoLostReplies(), logged(nil),
			verdict.Pass, "0 of 400 requests that reached a pod lost their reply", 0},
		{"served, but the reply was lost", verdict.NoLostReplies(), all(breaking("worker-fresh", evidence.Reset, 90, 91), logged(func(h evidence.Hit) int {
			if h.Failed() && h.Seq == 90 {
				return 0
			}
			return 1
		})),
			verdict.Fail, "1 of 399 requests that reached a pod lost their reply (1 reset) at 0.920s on worker-fresh, 0.420s after the rollout began; by pod phase: 1 ready (first d, since 0.110s): seq 91", 1},
		{"a request that never arrived lost no reply", verdict.NoLostReplies(), all(breaking("worker-fresh", evidence.Reset, 70), logged(func(h evidence.Hit) int {
			if h.Failed() {
				return 0
			}
			return 1
		})),
			verdict.Pass, "0 of 399 requests that reached a pod lost their reply", 0},
		{"without arrivals nobody knows of lost replies", verdict.NoLostReplies(), none,
			verdict.Inconclusive, "what pods logged was not recorded, so requests cannot be followed to them", 0},

		{"every request was sent once", verdict.NoHiddenRetries(), logged(nil),
			verdict.Pass, "0 of 400 requests were sent more than once", 0},
		{"a request that arrived twice was sent twice", verdict.NoHiddenRetries(), logged(func(h evidence.Hit) int {
			if h.Lane == "worker-reused" && h.Seq == 120 {
				return 2
			}
			return 1
		}), verdict.Fail, "1 of 400 requests were sent more than once at 1.210s on worker-reused, 0.710s after the rollout began; by pod phase: 1 ready (first d, since 0.400s): seq 120", 1},
		{"a request given to two connections was sent twice, whatever arrived", verdict.NoHiddenRetries(), on("worker-reused", func(h *evidence.Hit) { h.Attempts = 2 }, 120),
			verdict.Fail, "1 of 400 requests were sent more than once at 1.210s on worker-reused, 0.710s after the rollout began; by pod phase: 1 ready (first d, since 0.400s): seq 120", 1},
		{"without arrivals a retry may have been missed", verdict.NoHiddenRetries(), none,
			verdict.Inconclusive, "what pods logged was not recorded, so requests cannot be followed to them", 0},

		{"kept connections went from old to new", verdict.OrderedSwitch(), none,
			verdict.Pass, "0 connections on 1 lane went back after 101 replies by v2", 0},
		{"a kept connection that went back", verdict.OrderedSwitch(), all(on("worker-reused", func(h *evidence.Hit) { h.LocalPort, h.Reused = 7, true }), answering("worker-reused", "v1", 120)),
			verdict.Fail, "1 reply on connections that had given one by v2 came from another version, at 1.210s on worker-reused, 0.710s after the rollout began; by pod phase: 1 ready (first d, since 0.400s): seq 120", 1},
		{"without kept connections there is nothing to order", verdict.OrderedSwitch(), func(ev *recording) { ev.Run.Lanes[1].Conn = evidence.Fresh },
			verdict.Inconclusive, "0 replies on kept connections were by v2", 0},

		{"fresh connections stopped in time", verdict.MaxDrainLag(140 * ms), with(pod(850, evidence.EndpointGone, "v1", "b")),
			verdict.Pass, "b was sent requests from worker until 0.140s after it left the endpoints, 0.140s allowed", 0},
		{"fresh connections went on for too long", verdict.MaxDrainLag(139 * ms), with(pod(850, evidence.EndpointGone, "v1", "b")),
			verdict.Fail, "b was sent requests from worker until 0.140s after it left the endpoints, 0.139s allowed", 0},
		{"clocks too far apart to tell decide nothing", verdict.MaxDrainLag(139 * ms), all(with(pod(850, evidence.EndpointGone, "v1", "b")), skewed(0, 2*ms)),
			verdict.Inconclusive, "b was sent requests from worker until 0.140s ± 0.002s after it left the endpoints, 0.139s allowed", 0},
		{"a lag that is surely too long does not hide behind one that may be longer", verdict.MaxDrainLag(130 * ms),
			all(with(pod(850, evidence.EndpointGone, "v1", "b")), func(ev *recording) {
				ev.Run.Lanes[1].Conn, ev.Run.Lanes[1].Node = evidence.Fresh, "other"
				ev.Run.Clocks = []evidence.ClockReading{{Node: "worker"}, {Node: "other", Uncertainty: 20 * ms}}
				on("worker-reused", func(h *evidence.Hit) { h.By = evidence.Server{Version: "v2", Pod: "d"} }, 97, 98)(ev)
			}),
			verdict.Fail, "b was sent requests from worker until 0.140s after it left the endpoints, 0.130s allowed", 0},
		{"nothing sent after it left", verdict.MaxDrainLag(ms), with(pod(995, evidence.EndpointGone, "v1", "b")),
			verdict.Pass, "0 requests were sent to 1 old pod after it left the endpoints", 0},
		{"old pods are still there when the rollout is said to be done", verdict.OldAtStatus(1), all(created("a"), created("b")),
			verdict.Pass, "1 pod of v1 still there when the rollout was said to be done at 0.900s, at least 1 expected", 0},
		{"no old pod is", verdict.OldAtStatus(1), all(created("a")),
			verdict.Fail, "0 pods of v1 still there when the rollout was said to be done at 0.900s, at least 1 expected", 0},
		{"the new version answers after the old one", verdict.CleanCut(), none, verdict.Pass, "v2 gave its first reply 0.010s after v1 gave its last", 0},
		{"one old reply after the first new one", verdict.CleanCut(), answering("worker-fresh", "v1", 120), verdict.Fail, "both versions answered for 0.210s", 0},
		{"clocks that are off by less than the pause do not matter", verdict.CleanCut(), onTwoClocks(2 * ms), verdict.Pass, "v2 gave its first reply 0.010s ± 0.004s after v1 gave its last", 0},
		{"clocks that are off by more do", verdict.CleanCut(), onTwoClocks(6 * ms), verdict.Inconclusive, "v2 gave its first reply 0.010s ± 0.012s after v1 gave its last", 0},
		{"both versions answer for as long as allowed", verdict.MaxMixedWindow(210 * ms), answering("worker-fresh", "v1", 120), verdict.Pass, "both versions answered for 0.210s, 0.210s allowed", 0},
		{"both versions answer for too long", verdict.MaxMixedWindow(209 * ms), answering("worker-fresh", "v1", 120), verdict.Fail, "both versions answered for 0.210s, 0.209s allowed", 0},
		{"both versions answer for long enough", verdict.MinMixedWindow(210 * ms), answering("worker-fresh", "v1", 120), verdict.Pass, "both versions answered for 0.210s, at least 0.210s expected", 0},
		{"both versions answer for too short", verdict.MinMixedWindow(211 * ms), answering("worker-fresh", "v1", 120), verdict.Fail, "both versions answered for 0.210s, at least 0.211s expected", 0},
		{"every node's rules leave a pod out before it is told to exit", verdict.RulesBeforeSigterm(),
			all(left("b", 850), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 950), sigterm("b", 1000)),
			verdict.Pass, "of 2 pairs of pod and node, the least time from the rules of worker2 leaving b out until it was told to exit was 0.050s", 0},
		{"one node's rules still lead to a pod that was told to exit", verdict.RulesBeforeSigterm(),
			all(left("b", 850), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 1010), sigterm("b", 1000)),
			verdict.Fail, "of 2 pairs of pod and node, the least time from the rules of worker2 leaving b out until it was told to exit was -0.010s", 0},
		{"rules that were not seen when the pod was told to exit decide nothing", verdict.RulesBeforeSigterm(),
			all(left("b", 850), ruleGone("worker", "b", 1010), sigterm("b", 1000), with(evidence.Event{At: 1010 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
			verdict.Inconclusive, "of 1 pair of pod and node, the least time from the rules of worker leaving b out until it was told to exit was -0.010s ± 0.060s", 0},
		{"rules that never leave a pod out", verdict.RulesBeforeSigterm(),
			all(left("b", 850), observed("worker", "worker2"), ruleGone("worker", "b", 900), ruleAdded("worker2", "b", 10), seenUntil("worker2", 1900), sigterm("b", 1000)),
			verdict.Fail, "the rules of worker2 still led to b when they were seen last", 0},
		{"nobody saw the rules", verdict.RulesBeforeSigterm(), all(left("b", 850), sigterm("b", 1000)),
			verdict.Inconclusive, "0 old pods were seen both to leave the rules of a node and to be told to exit", 0},
		{"steps of one pod as far apart as expected", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 150*ms, 150*ms), all(sigterm("a", 850), sigterm("b", 1000)),
			verdict.Pass, "pod-sigterm came 0.150s to 0.150s after pod-deleting of 2 pods, expected 0.150s to 0.150s", 0},
		{"steps of one pod too far apart", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, 150*ms), all(sigterm("a", 851), sigterm("b", 1000)),
			verdict.Fail, "pod-sigterm came 0.150s to 0.151s after pod-deleting of 2 pods, expected 0.000s to 0.150s", 0},
		{"a step that came before the other", verdict.Between(evidence.PodGone, evidence.PodSigterm, -50*ms, 0), all(sigterm("a", 740), sigterm("b", 1160)),
			verdict.Fail, "pod-sigterm came -0.060s to -0.040s after pod-gone of 2 pods, expected -0.050s to 0.000s", 0},
		{"steps that a watch may have told late are uncertain by that once, not twice", verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -30*ms, 50*ms),
			all(left("a", 710), left("b", 860), with(evidence.Event{At: 860 * ms, Kind: evidence.APIAnswered, Count: 30})),
			verdict.Pass, "endpoint-not-ready came 0.010s ± 0.030s to 0.010s ± 0.030s after pod-deleting of 2 pods, expected -0.030s to 0.050s", 0},
		{"a step that never came", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, time.Second), sigterm("a", 850),
			verdict.Fail, "pod-deleting was seen of b, and pod-sigterm never", 0},
		{"a step that no pod took", verdict.Between(evidence.PodDraining, evidence.PodSigterm, 0, time.Second), none,
			verdict.Inconclusive, "pod-draining was seen of 0 pods", 0},
		{"only fresh connections are asked for", verdict.On(evidence.Fresh, verdict.OnlyServes("v2", evidence.OldGone)), answering("worker-reused", "v1", 150),
			verdict.Pass, "all 81 replies to requests sent after old-gone (1.200s) were by v2", 0},
		{"a loss over another kind of connection is not asked for", verdict.On(evidence.Fresh, verdict.NoFailures()), breaking("worker-reused", evidence.Reset, 70),
			verdict.Pass, "0 of 200 requests on 1 lane failed", 0},
		{"damage over the kind of connection asked for", verdict.On(evidence.Fresh, verdict.DamageSeen()), breaking("worker-fresh", evidence.Reset, 70),
			verdict.Pass, "of 200 requests from pods 1 failed after the rollout began (1 reset): 1 on worker-fresh", 1},
		{"the old version answers to the end", verdict.On(evidence.Reused, verdict.StillServes("v1", 95)), answering("worker-reused", "v1", from(99, 199)...),
			verdict.Pass, "v1 gave 100.0 % or more of the replies on 1 lane in the last 5 s of the load, at least 95 % expected", 0},
		{"the old version answers on one lane of two", verdict.StillServes("v1", 95), answering("worker-reused", "v1", from(99, 199)...),
			verdict.Fail, "of 199 replies on worker-fresh to requests sent from 0s to 2s 49.7 % were by v1, at least 95 % expected", 0},
		{"a version that never answered", verdict.StillServes("v3", 1), none, verdict.Fail, "of 199 replies on worker-fresh to requests sent from 0s to 2s 0.0 % were by v3, at least 1 % expected", 0},
		{"no lane of the kind", verdict.On(evidence.Fresh, verdict.StillServes("v1", 95)), func(ev *recording) { ev.Run.Lanes[0].Conn = evidence.Reused },
			verdict.Inconclusive, "0 lanes with fresh connections and an end of the load were seen", 0},
		{"an outage as long as expected on every lane", verdict.MinOutage(200 * ms), all(breaking("worker-fresh", evidence.Refused, from(70, 95)...), breaking("worker-reused", evidence.Refused, from(70, 90)...)),
			verdict.Pass, "each of 2 lanes from pods went without a good reply for 0.210s at least, worker-reused least of them, 0.200s expected", 0},
		{"a lane that was out for less", verdict.MinOutage(200 * ms), all(breaking("worker-fresh", evidence.Refused, from(70, 95)...), breaking("worker-reused", evidence.Refused, from(70, 80)...)),
			verdict.Fail, "each of 2 lanes from pods went without a good reply for 0.110s at least, worker-reused least of them, 0.200s expected", 0},
		{"a lane that is not asked about", verdict.On(evidence.Fresh, verdict.MinOutage(200*ms)), breaking("worker-fresh", evidence.Refused, from(70, 95)...),
			verdict.Pass, "each of 1 lane from pods went without a good reply for 0.260s at least, worker-fresh least of them, 0.200s expected", 0},
		{"new pods come when the old ones have ended", verdict.OldEndsFirst(), all(exited("a", 700), exited("b", 750), createdAs("v2", "c", 760)),
			verdict.Pass, "the first pod of v2 was created 0.010s after the last one of v1 had ended", 0},
		{"a new pod comes before the last old one has ended", verdict.OldEndsFirst(), all(exited("a", 700), exited("b", 770), createdAs("v2", "c", 760)),
			verdict.Fail, "the first pod of v2 was created -0.010s after the last one of v1 had ended", 0},
		{"an old pod of which no end was seen", verdict.OldEndsFirst(), all(created("b"), exited("a", 700), createdAs("v2", "c", 760)),
			verdict.Inconclusive, "an end of every old pod and the creation of a new one were not seen", 0},
		{"a load too short for one window", verdict.Share("v2", 50, evidence.OldGone), none,
			verdict.Inconclusive, "0 windows of 5 s lie between old-gone and the end of the load", 0},
		{"a fact that is one of those expected", verdict.Fact("revisions", "2", "3"), noting("revisions", "1", "3"), verdict.Pass, "revisions: 3", 0},
		{"a fact that is something else", verdict.Fact("revisions", "2", "3"), noting("revisions", "4"), verdict.Fail, "revisions: 4, expected 2 or 3", 0},
		{"a fact that nobody found out", verdict.Fact("revisions", "2"), none, verdict.Inconclusive, "revisions was not found out", 0},
		{"a fact that may be anything", verdict.Noted("revisions"), noting("revisions", "4"), verdict.Pass, "revisions: 4", 0},
		{"a fact that may be anything, and that nobody found out", verdict.Noted("revisions"), none, verdict.Inconclusive, "revisions was not found out", 0},
		{"a fact without an expectation", verdict.Fact("revisions"), noting("revisions", "4"), verdict.Inconclusive, "the rule names 0 values for revisions", 0},
		{"a duration in its bounds", verdict.FactWithin("until SIGTERM", 4*time.Second, 6*time.Second), noting("until SIGTERM", "6s"), verdict.Pass, "until SIGTERM: 6.000s, expected 4.000s to 6.000s", 0},
		{"a duration out of them", verdict.FactWithin("until SIGTERM", 4*time.Second, 6*time.Second), noting("until SIGTERM", "6.001s"), verdict.Fail, "until SIGTERM: 6.001s, expected 4.000s to 6.000s", 0},
		{"a duration that is none", verdict.FactWithin("until SIGTERM", 0, time.Second), noting("until SIGTERM", "soon"), verdict.Inconclusive, "until SIGTERM: soon is no duration", 0},
		{"sizes in the order expected, and then others", verdict.Scaling("v2:1", "v1:1"), all(scaled(100, "v1", 2), scaled(510, "v2", 1), scaled(600, "v1", 1), scaled(700, "v2", 2)),
			verdict.Pass, "ReplicaSets were given the sizes v2:1 v1:1 v2:2", 0},
		{"sizes in another order", verdict.Scaling("v1:1", "v2:1"), all(scaled(510, "v2", 1), scaled(600, "v1", 1)),
			verdict.Fail, "ReplicaSets were given the sizes v2:1 v1:1, expected v1:1 v2:1 first", 0},
		{"fewer sizes than expected", verdict.Scaling("v2:1", "v1:1"), scaled(510, "v2", 1), verdict.Fail, "ReplicaSets were given the sizes v2:1, expected v2:1 v1:1 first", 0},
		{"ReplicaSets ask for as many pods as allowed", verdict.MaxActive(3), all(scaled(0, "v1", 2), scaled(510, "v2", 1), scaled(600, "v1", 1), scaled(700, "v2", 2)),
			verdict.Pass, "ReplicaSets never asked for more than 3 pods, at most 3 expected", 0},
		{"ReplicaSets ask for too many pods", verdict.MaxActive(2), all(scaled(0, "v1", 2), scaled(510, "v2", 1)), verdict.Fail, "ReplicaSets never asked for more than 3 pods, at most 2 expected", 0},
		{"ReplicaSets that nobody saw", verdict.MaxActive(2), none, verdict.Inconclusive, "0 ReplicaSets were seen", 0},
		{"no pod that left", verdict.MaxDrainLag(ms), none, verdict.Inconclusive, "0 old pods were seen leaving the endpoints", 0},
		{"every node's rules stopped in time", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker"), ruleGone("worker", "b", 900)),
			verdict.Pass, "the rules of worker led to b until 0.050s after it left the endpoints, longer than those of any other of 1 node to any other of 1 old pod; 0.050s allowed", 0},
		{"one node's rules stopped too late", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker", "worker2"), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 901)),
			verdict.Fail, "the rules of worker2 led to b until 0.051s after it left the endpoints, longer than those of any other of 2 nodes to any other of 1 old pod; 0.050s allowed", 0},
		{"rules that were not seen for a while when they stopped decide nothing", verdict.MaxRuleLag(50 * ms),
			all(left("b", 850), observed("worker"), ruleGone("worker", "b", 910), with(evidence.Event{At: 910 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
			verdict.Inconclusive, "the rules of worker led to b until 0.060s ± 0.060s after it left the endpoints, longer than those of any other of 1 node to any other of 1 old pod; 0.050s allowed", 0},
		{"a node whose rules never stopped", verdict.MaxRuleLag(time.Second), all(left("b", 850), observed("worker", "worker2"), ruleAdded("worker", "b", 10), ruleAdded("worker2", "b", 10),
			ruleGone("worker", "b", 900), seenUntil("worker2", 1900)),
			verdict.Fail, "the rules of worker2 still led to b when they were seen last, 1.050s after it left the endpoints; 1.000s allowed", 0},
		{"a node whose rules came back", verdict.MaxRuleLag(time.Second), all(left("b", 850), observed("worker"), ruleGone("worker", "b", 900), ruleAdded("worker", "b", 950), seenUntil("worker", 1900)),
			verdict.Fail, "the rules of worker still led to b when they were seen last, 1.050s after it left the endpoints; 1.000s allowed", 0},
		{"rules that were not seen to the end decide nothing", verdict.MaxRuleLag(time.Second), all(left("b", 850), observed("worker"), ruleAdded("worker", "b", 10), seenUntil("worker", 1900),
			with(evidence.Event{At: 1900 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 950})),
			verdict.Inconclusive, "the rules of worker still led to b when they were seen last, 0.100s after it left the endpoints; 1.000s allowed", 0},
		{"a flap before the rollout is not the end", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker"), ruleGone("worker", "b", 100), ruleAdded("worker", "b", 200), ruleGone("worker", "b", 880)),
			verdict.Pass, "the rules of worker led to b until 0.030s after it left the endpoints, longer than those of any other of 1 node to any other of 1 old pod; 0.050s allowed", 0},
		{"a pod that no rule ever led to", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker")),
			verdict.Inconclusive, "the rules of 0 nodes were seen to lead to any of 1 old pod", 0},
		{"an API server that was slow when the pod left makes the lag uncertain", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker"), ruleGone("worker", "b", 890),
			with(evidence.Event{At: 900 * ms, Kind: evidence.APIAnswered, Count: 20})),
			verdict.Inconclusive, "the rules of worker led to b until 0.040s ± 0.020s after it left the endpoints, longer than those of any other of 1 node to any other of 1 old pod; 0.050s allowed", 0},
		{"a slow API server and rules seen late make it uncertain by the larger of the two", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker"), ruleGone("worker", "b", 870),
			with(evidence.Event{At: 900 * ms, Kind: evidence.APIAnswered, Count: 20}), with(evidence.Event{At: 870 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 25})),
			verdict.Pass, "the rules of worker led to b until 0.020s ± 0.025s after it left the endpoints, longer than those of any other of 1 node to any other of 1 old pod; 0.050s allowed", 0},
		{"rules that nobody observed", verdict.MaxRuleLag(time.Hour), all(left("b", 850), ruleGone("worker", "b", 900)),
			verdict.Inconclusive, "the rules of 0 nodes were observed", 0},
		{"no fresh lane in a pod", verdict.MaxDrainLag(ms), func(ev *recording) {
			ev.Run.Lanes[0].Conn, ev.Run.Lanes[2].Vantage = evidence.Reused, evidence.FromHost
		},
			verdict.Inconclusive, "0 lanes with fresh connections ran in a pod", 0},

		{"an old reply so close to the mark that clocks cannot tell decides nothing", verdict.OnlyServes("v2", evidence.OldGone),
			all(answering("worker-fresh", "v1", 119), skewed(0, 2*ms)),
			verdict.Inconclusive, "1 reply to requests sent within 0.002s of old-gone (1.200s) were by v1: clocks this far apart cannot tell which came first", 0},

		{"every lane kept its rate", verdict.FullRate(99), none,
			verdict.Pass, "3 lanes achieved at least 99 % of the rate asked", 0},
		{"a rate without a percentage decides nothing", verdict.FullRate(0), none,
			verdict.Inconclusive, "the rule takes 1 to 100 percent, got 0", 0},

		{"no outage is short enough", verdict.MaxOutage(20 * ms), none,
			verdict.Pass, "0 outages on 2 lanes", 0},
		{"an outage as long as allowed passes", verdict.MaxOutage(20 * ms), breaking("worker-fresh", evidence.Refused, 70, 71),
			verdict.Pass, "the longest outage lasted 0.020s from 0.710s on worker-fresh, 0.020s allowed", 0},
		{"the longest of several outages decides", verdict.MaxOutage(20 * ms),
			all(breaking("worker-fresh", evidence.Refused, 70, 90), breaking("worker-reused", evidence.Refused, 60, 71, 72, 73)),
			verdict.Fail, "the longest outage lasted 0.030s from 0.720s on worker-reused, 0.020s allowed: 3 requests failed, seq 71 72 73", 3},
		{"an outage that never ended lasts until the load did", verdict.MaxOutage(time.Second), breaking("worker-fresh", evidence.Refused, from(89, 199)...),
			verdict.Fail, "the longest outage lasted 1.100s from 0.900s on worker-fresh, 1.000s allowed: 111 requests failed, seq 89 90 91 92 93 94 95 96 and 103 more", 20},

		{"a closed outage within the limit does not hide an open one that may not be", verdict.MaxOutage(1105 * ms),
			all(breaking("worker-fresh", evidence.Refused, from(89, 199)...), breaking("worker-reused", evidence.Refused, from(79, 188)...), skewed(0, 20*ms)),
			verdict.Inconclusive, "the longest outage lasted 1.100s ± 0.020s from 0.900s on worker-fresh, 1.105s allowed: 111 requests failed, seq 89 90 91 92 93 94 95 96 and 103 more", 20},

		{"enough pods were available", verdict.MinAvailable(2), none,
			verdict.Pass, "never fewer than 2 pods available, reached at 0.500s, at least 2 expected", 0},
		{"too few pods were available", verdict.MinAvailable(3), none,
			verdict.Fail, "never fewer than 2 pods available, reached at 0.500s, at least 3 expected", 0},
		{"a deleting pod is not available", verdict.MinAvailable(2), with(pod(550, evidence.PodDeleting, "v1", "a")),
			verdict.Fail, "never fewer than 1 pod available, reached at 0.550s, at least 2 expected", 0},
		{"without pod events capacity is unknown", verdict.MinAvailable(1), all(without(evidence.PodReady), without(evidence.PodGone), without(evidence.PodDeleting)),
			verdict.Inconclusive, "0 pods were seen before the rollout, or a mark is missing, so capacity is unknown", 0},
		{"no pod expected is no expectation", verdict.MinAvailable(0), none,
			verdict.Inconclusive, "the rule takes at least 1 pod, got 0", 0},

		{"few enough pods", verdict.MaxPods(3), none,
			verdict.Pass, "never more than 3 pods, reached at 0.600s, at most 3 expected", 0},
		{"terminating pods count", verdict.MaxPods(2), none,
			verdict.Fail, "never more than 3 pods, reached at 0.600s, at most 2 expected", 0},
		{"at most nothing is no expectation", verdict.MaxPods(0), none,
			verdict.Inconclusive, "the rule takes at least 1 pod, got 0", 0},
		{"unknown pods cannot be too many", verdict.MaxPods(1), all(without(evidence.PodReady), without(evidence.PodGone), without(evidence.PodDeleting)),
			verdict.Inconclusive, "0 pods were seen before the rollout, or a mark is missing, so capacity is unknown", 0},

		{"a rule of a newer build decides nothing", evidence.Expectation{Rule: "no-sorrow"}, none,
			verdict.Inconclusive, `this build knows no rule "no-sorrow"`, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect)
			row.spoil(&ev)
			v := judge(t, ev)
			if len(v.Findings) != 1 {
				t.Fatalf("%d findings of one expectation", len(v.Findings))
			}
			f := v.Findings[0]
			if f.Outcome != row.want {
				t.Errorf("outcome %s, want %s: %s", f.Outcome, row.want, f.Because)
			}
			if diff := cmp.Diff(row.because, f.Because); diff != "" {
				t.Errorf("because (-want +got):\n%s", diff)
			}
			if len(f.Witnesses) != row.named {
				t.Errorf("%d witnesses, want %d: %v", len(f.Witnesses), row.named, f.Witnesses)
			}
			if v.Outcome != f.Outcome || v.Because != f.Because {
				t.Errorf("the only finding is %s (%s), the verdict %s (%s)", f.Outcome, f.Because, v.Outcome, v.Because)
			}
		})
	}
}

// Without hits the verdict is distrusted long before; the rules themselves must not pass either.
func TestNoRulePassesOnNothing(t *testing.T) {
	for _, x := range []evidence.Expectation{
		verdict.NoFailures(), verdict.DamageSeen(), verdict.Serves("v1"), verdict.OnlyServes("v2", evidence.OldGone),
		verdict.FullRate(99), verdict.MaxOutage(time.Second), verdict.MinAvailable(1), verdict.MaxPods(9),
		verdict.NoLostReplies(), verdict.NoHiddenRetries(), verdict.OrderedSwitch(), verdict.MaxDrainLag(time.Hour),
	} {
		v := verdict.Judge(evidence.Run{Expect: []evidence.Expectation{x}}, timeline.Timeline{})
		if v.Findings[0].Outcome != verdict.Inconclusive || len(v.Findings[0].Because) == 0 {
			t.Errorf("%s of nothing is %s: %q", x.Rule, v.Findings[0].Outcome, v.Findings[0].Because)
		}
		if strings.HasPrefix(v.Findings[0].Because, "would be") {
			t.Errorf("%s had an opinion about nothing: %q", x.Rule, v.Findings[0].Because)
		}
	}
}

func TestWitnessesAreNamedByTimeSent(t *testing.T) {
	ev := rollout(verdict.NoFailures())
	all(breaking("worker-reused", evidence.Closed, 70), breaking("worker-fresh", evidence.Reset, 71, 69),
		on("worker-reused", func(h *evidence.Hit) { h.Due += 25 * ms; h.Sent = h.Due }))(&ev)
	want := []verdict.Witness{{Lane: "worker-fresh", Seq: 69}, {Lane: "worker-fresh", Seq: 71}, {Lane: "worker-reused", Seq: 70}}
	if diff := cmp.Diff(want, judge(t, ev).Findings[0].Witnesses); diff != "" {
		t.Errorf("witnesses (-want +got):\n%s", diff)
	}
}

func TestRulesArePermanent(t *testing.T) {
	var ids []string
	for _, rule := range verdict.Rules() {
		ids = append(ids, rule.ID)
		if rule.Claim == "" {
			t.Errorf("%s claims nothing", rule.ID)
		}
	}
	want := []string{"no-failures", "no-lost-replies", "no-hidden-retries", "damage-seen", "serves", "only-serves", "ordered-switch",
		"full-rate", "max-outage", "max-drain-lag", "max-rule-lag", "min-available", "max-pods", "fact", "fact-within", "scaling", "max-active", "old-at-status", "clean-cut", "rules-before-sigterm", "max-mixed-window", "min-mixed-window", "between", "still-serves", "share", "min-outage", "old-ends-first", "noted"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func left(name string, at int) edit { return with(pod(at, evidence.EndpointGone, "v1", name)) }

func observed(nodes ...string) edit {
	return func(ev *recording) {
		for _, node := range nodes {
			with(evidence.Event{Kind: evidence.RulesBegun, Object: node})(ev)
		}
	}
}

func ruleAdded(node, name string, at int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.RuleAdded, Object: node, By: evidence.Server{Version: "v1", Pod: name}})
}

func seenUntil(node string, at int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.NodeBusy, Object: node})
}

func ruleGone(node, name string, at int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.RuleGone, Object: node, By: evidence.Server{Version: "v1", Pod: name}})
}

// noting has the scenario note a fact, again with each value.
func noting(name string, values ...string) edit {
	return func(ev *recording) {
		for i, value := range values {
			with(evidence.Event{At: time.Duration(i) * ms, Kind: evidence.Fact, Object: name, Detail: value})(ev)
		}
	}
}

func scaled(at int, version string, size int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.ReplicaSetScaled, Object: "echo-" + version, Count: size, Detail: version})
}

// onTwoClocks has the second lane on a node of its own, and both clocks as uncertain as said.
func onTwoClocks(uncertainty time.Duration) edit {
	return func(ev *recording) {
		ev.Run.Lanes[1].Node = "worker2"
		for _, node := range []string{"worker", "worker2"} {
			ev.Run.Clocks = append(ev.Run.Clocks, evidence.ClockReading{Node: node, Uncertainty: uncertainty})
		}
	}
}

func created(name string) edit { return with(pod(0, evidence.PodCreated, "v1", name)) }

func createdAs(version, name string, at int) edit {
	return with(pod(at, evidence.PodCreated, version, name))
}

func exited(name string, at int) edit { return with(pod(at, evidence.PodExited, "v1", name)) }

func sigterm(name string, at int) edit { return with(pod(at, evidence.PodSigterm, "v1", name)) }
