package verdict_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
	"rollcall/harness/verdict/phrase"
)

func TestRules(t *testing.T) {
	none := func(*recording) {}
	var told strings.Builder // what each finding says, in the golden file
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		spoil    edit
		want     verdict.Outcome
	}{
		{"no failure on any lane passes", verdict.NoFailures(), none,
			verdict.Pass},
		{"failures on one lane are told by kind, time and number", verdict.NoFailures(),
			all(breaking("worker-fresh", evidence.Refused, 70, 71), breaking("worker-fresh", evidence.Timeout, 73)),
			verdict.Fail},
		{"failures on two lanes carry the lane with each number", verdict.NoFailures(),
			all(breaking("worker-fresh", evidence.Reset, 71), breaking("worker-reused", evidence.Closed, 70)),
			verdict.Fail},
		{"many failures are all counted and the first 20 named", verdict.NoFailures(),
			breaking("worker-fresh", evidence.Refused, from(70, 99)...),
			verdict.Fail},
		{"a failure after the last old pod is gone is still a failure", verdict.NoFailures(), breaking("worker-fresh", evidence.Refused, 199),
			verdict.Fail},

		{"a drain that was too short for this cluster is said to be so", verdict.NoFailures(),
			all(observed("worker", "worker2"), left("b", 850), ruleGone("worker", "b", 1010), ruleGone("worker2", "b", 880), sigterm("b", 900),
				breaking("worker-fresh", evidence.Refused, 95)),
			verdict.Fail},
		{"a loss that no rule explains is said to be so", verdict.NoFailures(),
			all(observed("worker", "worker2"), left("b", 850), ruleGone("worker", "b", 880), ruleGone("worker2", "b", 880), sigterm("b", 900),
				breaking("worker-fresh", evidence.Refused, 95)),
			verdict.Fail},

		{"a reply by the old version right after the new one shows that they mix", verdict.Mixes(1), answering("worker-fresh", "v1", 150),
			verdict.Pass},
		{"a clean cut mixes nothing", verdict.Mixes(1), none,
			verdict.Fail},
		{"keep-alive connections do not show how new ones are routed", verdict.Mixes(1), answering("worker-reused", "v1", 150),
			verdict.Fail},
		{"nothing can mix with a version that never answered", verdict.Mixes(1), answering("worker-fresh", "v1"),
			verdict.Inconclusive},

		{"no reply that waited for TCP passes", verdict.NoSlowReplies(), twoNodes,
			verdict.Pass},
		{"SYNs of one node that were sent again are that node's, whichever pod they were for", verdict.NoSlowReplies(),
			all(twoNodes, opening("worker2-fresh", 1003, from(70, 99)...)),
			verdict.Fail},
		{"a pod that does not take SYNs is told as a pod", verdict.NoSlowReplies(),
			all(twoNodes, opening("worker-fresh", 1003, 71, 73, 75), opening("worker2-fresh", 1003, 71, 73)),
			verdict.Fail},
		{"SYNs to and from one node are that node's", verdict.NoSlowReplies(),
			all(twoNodes, opening("worker-fresh", 1003, 71, 111), opening("worker2-fresh", 1003, 70, 71, 73)),
			verdict.Fail},
		{"requests that were sent again are told, however short the wait", verdict.NoSlowReplies(),
			all(twoNodes, on("worker-fresh", func(h *evidence.Hit) { h.Took, h.Resent = 205*ms, 1 }, 70)),
			verdict.Fail},
		{"a client that was late itself may have been stopped, and knows nothing of TCP", verdict.NoSlowReplies(),
			all(twoNodes, opening("worker2-fresh", 1003, 70), on("worker-fresh", func(h *evidence.Hit) { h.Sent += 600 * ms }, 90)),
			verdict.Inconclusive},
		{"a pod that takes a second to answer is told as a pod", verdict.NoSlowReplies(),
			all(twoNodes, answeringIn("worker-fresh", 1100, 71, 73), answeringIn("worker2-fresh", 1200, 71)),
			verdict.Fail},
		{"a pod is not slow on a machine on which others are", verdict.NoSlowReplies(),
			all(twoNodes, answeringIn("worker-fresh", 1100, 71, 73), answeringIn("control", 330, 72)),
			verdict.Inconclusive},
		{"an app that always takes as long is not slow", verdict.NoSlowReplies(),
			all(twoNodes, answeringIn("worker-fresh", 1100), answeringIn("worker2-fresh", 1100)),
			verdict.Pass},
		{"how long an app takes that is not ours is not known", verdict.NoSlowReplies(),
			all(twoNodes, func(ev *recording) { ev.Run.UserApp = &evidence.UserApp{Named: true} }, answeringIn("worker-fresh", 1100, 71, 73)),
			verdict.Pass},

		{"replies within the limit pass", verdict.MaxLatency(time.Second), all(twoNodes, answeringIn("worker-fresh", 900, 71)),
			verdict.Pass},
		{"every reply has to be, not most", verdict.MaxLatency(100 * ms), all(twoNodes, answeringIn("worker-fresh", 101, 71)),
			verdict.Fail},
		{"of many slow ones as many are counted as are kept", verdict.MaxLatency(100 * ms),
			all(twoNodes, answeringIn("worker-fresh", 150, from(70, 99)...)),
			verdict.Fail},
		{"a busy machine is no slow app", verdict.MaxLatency(100 * ms),
			all(twoNodes, answeringIn("worker-fresh", 250, 71), answeringIn("control", 210, 71)),
			verdict.Inconclusive},

		{"damage over either kind of connection is enough", verdict.DamageSeen(),
			all(breaking("worker-reused", evidence.Reset, 70), breaking("worker-fresh", evidence.Refused, 71)),
			verdict.Pass},
		{"keep-alive connections break whatever the rules do, so they do not speak for others", verdict.DamageSeen(),
			breaking("worker-reused", evidence.Reset, 70),
			verdict.Inconclusive},
		{"no damage means the harness is blind", verdict.DamageSeen(), none,
			verdict.Inconclusive},
		{"damage on a lane that resends is not enough", verdict.DamageSeen(),
			all(func(ev *recording) { ev.Run.Lanes[1].Resends = true }, breaking("worker-reused", evidence.Reset, 70)),
			verdict.Inconclusive},
		{"a lane that resends hides damage and does not disprove it", verdict.DamageSeen(),
			all(func(ev *recording) { ev.Run.Lanes[1].Resends = true }, breaking("worker-fresh", evidence.Reset, 70)),
			verdict.Pass},
		{"damage only outside the cluster is not enough", verdict.DamageSeen(),
			all(func(ev *recording) { ev.Run.Lanes[1].Vantage = evidence.FromHost }, breaking("worker-reused", evidence.Reset, 70)),
			verdict.Inconclusive},

		{"of terminations that lost a request on other lanes nothing is said", verdict.On(evidence.Fresh, verdict.NoFailures()),
			breaking("worker-reused", evidence.Reset, 90),
			verdict.Pass},
		{"each old pod that ends is one termination of the node", verdict.MinTerminations(2), none,
			verdict.Pass},
		{"fewer than expected show too little", verdict.MinTerminations(3), none,
			verdict.Inconclusive},
		{"each termination lost a request of its own", verdict.MinTerminationsLost(95), all(ruleGone("worker", "a", 790),
			ruleGone("worker", "b", 1000), breaking("worker-fresh", evidence.Refused, 74, 95)),
			verdict.Pass},
		{"one of two lost none", verdict.MinTerminationsLost(95), all(ruleGone("worker", "a", 790),
			ruleGone("worker", "b", 1000), breaking("worker-fresh", evidence.Refused, 74)),
			verdict.Inconclusive},
		{"a loss that may be either's is neither's own", verdict.MinTerminationsLost(50), all(ruleGone("worker", "a", 1100),
			ruleGone("worker", "b", 1100), breaking("worker-fresh", evidence.Refused, 95)),
			verdict.Inconclusive},
		{"no old pod that ends is nothing to lose by", verdict.MinTerminationsLost(95), without(evidence.PodDeleting),
			verdict.Inconclusive},

		{"both versions answered", verdict.Serves("v1", "v2"), none,
			verdict.Pass},
		{"a version that never answered fails", verdict.Serves("v1", "v2", "v3"), none,
			verdict.Fail},
		{"a version nobody expected fails", verdict.Serves("v1", "v2"), answering("worker-fresh", "v9", 80),
			verdict.Fail},
		{"no version expected is no expectation", verdict.Serves(), none,
			verdict.Inconclusive},

		{"only the new version answers once the old is gone", verdict.OnlyServes("v2", evidence.OldGone), none,
			verdict.Pass},
		{"old replies after success was reported are witnesses", verdict.OnlyServes("v2", evidence.StatusDone), none,
			verdict.Fail},
		{"a request sent before the mark and answered after it is no witness", verdict.OnlyServes("v2", evidence.OldGone),
			on("worker-fresh", func(h *evidence.Hit) { h.By.Version, h.Took = "v1", 500*ms }, 118),
			verdict.Pass},
		{"a bad reply by the old version is a witness too", verdict.OnlyServes("v2", evidence.OldGone),
			on("worker-fresh", func(h *evidence.Hit) { h.By.Version, h.Fault = "v1", evidence.BadStatus }, 150),
			verdict.Fail},
		{"no reply after the mark decides nothing", verdict.OnlyServes("v2", evidence.OldGone),
			all(breaking("worker-fresh", evidence.Refused, from(119, 199)...), breaking("worker-reused", evidence.Refused, from(119, 199)...)),
			verdict.Inconclusive},
		{"a mark that was not reached decides nothing", verdict.OnlyServes("v2", evidence.StatusDone), without(evidence.StatusDone),
			verdict.Inconclusive},
		{"a moment that is no mark decides nothing", verdict.OnlyServes("v2", evidence.PodReady), none,
			verdict.Inconclusive},

		{"no reply was lost", verdict.NoLostReplies(), logged(nil),
			verdict.Pass},
		{"served, but the reply was lost", verdict.NoLostReplies(),
			all(breaking("worker-fresh", evidence.Reset, 90, 91), logged(func(h evidence.Hit) int {
				if h.Failed() && h.Seq == 90 {
					return 0
				}
				return 1
			})),
			verdict.Fail},
		{"a request that never arrived lost no reply", verdict.NoLostReplies(),
			all(breaking("worker-fresh", evidence.Reset, 70), logged(func(h evidence.Hit) int {
				if h.Failed() {
					return 0
				}
				return 1
			})),
			verdict.Pass},
		{"without arrivals nobody knows of lost replies", verdict.NoLostReplies(), none,
			verdict.Inconclusive},

		{"every request was sent once", verdict.NoHiddenRetries(), logged(nil),
			verdict.Pass},
		{"a request that arrived twice was sent twice", verdict.NoHiddenRetries(), logged(func(h evidence.Hit) int {
			if h.Lane == "worker-reused" && h.Seq == 120 {
				return 2
			}
			return 1
		}), verdict.Fail},
		{"a request given to two connections was sent twice, whatever arrived", verdict.NoHiddenRetries(),
			on("worker-reused", func(h *evidence.Hit) { h.Attempts = 2 }, 120),
			verdict.Fail},
		{"without arrivals a retry may have been missed", verdict.NoHiddenRetries(), none,
			verdict.Inconclusive},

		{"keep-alive connections went from old to new", verdict.OrderedSwitch(), kept,
			verdict.Pass},
		{"connections that the new version answers once cannot go back", verdict.OrderedSwitch(), none,
			verdict.Inconclusive},
		{"a keep-alive connection that went back", verdict.OrderedSwitch(),
			all(kept, answering("worker-reused", "v1", 120)),
			verdict.Fail},
		{"without keep-alive connections there is nothing to order", verdict.OrderedSwitch(),
			func(ev *recording) { ev.Run.Lanes[1].Conn = evidence.Fresh },
			verdict.Inconclusive},

		{"fresh connections stopped in time", verdict.MaxDrainLag(140 * ms), with(pod(850, evidence.EndpointGone, "v1", "b")),
			verdict.Pass},
		{"fresh connections went on for too long", verdict.MaxDrainLag(139 * ms), with(pod(850, evidence.EndpointGone, "v1", "b")),
			verdict.Fail},
		{"clocks too far apart to tell decide nothing", verdict.MaxDrainLag(139 * ms),
			all(with(pod(850, evidence.EndpointGone, "v1", "b")), skewed(0, 2*ms)),
			verdict.Inconclusive},
		{"a lag that is surely too long does not hide behind one that may be longer", verdict.MaxDrainLag(130 * ms),
			all(with(pod(850, evidence.EndpointGone, "v1", "b")), func(ev *recording) {
				ev.Run.Lanes[1].Conn, ev.Run.Lanes[1].Node = evidence.Fresh, "other"
				ev.Run.Clocks = []evidence.ClockReading{{Node: "worker"}, {Node: "other", Uncertainty: 20 * ms}}
				on("worker-reused", func(h *evidence.Hit) { h.By = evidence.Server{Version: "v2", Pod: "d"} }, 97, 98)(ev)
			}),
			verdict.Fail},
		{"nothing sent after it left", verdict.MaxDrainLag(ms), with(pod(995, evidence.EndpointGone, "v1", "b")),
			verdict.Pass},
		{"old pods are still there when the rollout is said to be done", verdict.OldAtStatus(1), all(created("a"), created("b")),
			verdict.Pass},
		{"no old pod is", verdict.OldAtStatus(1), all(created("a")),
			verdict.Fail},
		{"the new version answers after the old one", verdict.CleanCut(), none, verdict.Pass},
		{"one old reply after the first new one", verdict.CleanCut(), answering("worker-fresh", "v1", 120), verdict.Fail},
		{"clocks that are off by less than the pause do not matter", verdict.CleanCut(), onTwoClocks(2 * ms), verdict.Pass},
		{"clocks that are off by more do", verdict.CleanCut(), onTwoClocks(6 * ms), verdict.Inconclusive},
		{"both versions answer for as long as allowed", verdict.MaxMixedWindow(210 * ms), answering("worker-fresh", "v1", 120), verdict.Pass},
		{"both versions answer for too long", verdict.MaxMixedWindow(209 * ms), answering("worker-fresh", "v1", 120), verdict.Fail},
		{"both versions answer for long enough", verdict.MinMixedWindow(210 * ms), answering("worker-fresh", "v1", 120), verdict.Pass},
		{"both versions answer for too short", verdict.MinMixedWindow(211 * ms), answering("worker-fresh", "v1", 120), verdict.Fail},
		{"every node's rules leave a pod out before its SIGTERM", verdict.RulesBeforeSigterm(),
			all(left("b", 850), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 950), sigterm("b", 1000)),
			verdict.Pass},
		{"one node's rules still route to a pod after its SIGTERM", verdict.RulesBeforeSigterm(),
			all(left("b", 850), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 1010), sigterm("b", 1000)),
			verdict.Fail},
		{"rules that were not seen when the pod got SIGTERM decide nothing", verdict.RulesBeforeSigterm(),
			all(left("b", 850), ruleGone("worker", "b", 1010), sigterm("b", 1000),
				with(evidence.Event{At: 1010 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
			verdict.Inconclusive},
		{"what an observer that was held up took for new right after it decides nothing", verdict.RulesBeforeSigterm(),
			all(left("b", 850), ruleGone("worker", "b", 1012), sigterm("b", 1000),
				with(evidence.Event{At: 1010 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
			verdict.Inconclusive},
		{"rules that never leave a pod out", verdict.RulesBeforeSigterm(),
			all(left("b", 850), observed("worker", "worker2"), ruleGone("worker", "b", 900), ruleAdded("worker2", "b", 10),
				seenUntil("worker2", 1900), sigterm("b", 1000)),
			verdict.Fail},
		{"nobody saw the rules", verdict.RulesBeforeSigterm(), all(left("b", 850), sigterm("b", 1000)),
			verdict.Inconclusive},
		{"steps of one pod as far apart as expected", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 150*ms, 150*ms),
			all(sigterm("a", 850), sigterm("b", 1000)),
			verdict.Pass},
		{"steps of one pod too far apart", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, 150*ms),
			all(sigterm("a", 851), sigterm("b", 1000)),
			verdict.Fail},
		{"a step that came before the other", verdict.Between(evidence.PodGone, evidence.PodSigterm, -50*ms, 0),
			all(sigterm("a", 740), sigterm("b", 1160)),
			verdict.Fail},
		{"steps that a watch may have told late are uncertain by that once, not twice",
			verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -30*ms, 50*ms),
			all(left("a", 710), left("b", 860), with(evidence.Event{At: 860 * ms, Kind: evidence.APIAnswered, Count: 30})),
			verdict.Pass},
		{"a step that never came", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, time.Second), sigterm("a", 850),
			verdict.Fail},
		{"a step that no pod took", verdict.Between(evidence.PodDraining, evidence.PodSigterm, 0, time.Second), none,
			verdict.Inconclusive},
		{"only fresh connections are asked for", verdict.On(evidence.Fresh, verdict.OnlyServes("v2", evidence.OldGone)),
			answering("worker-reused", "v1", 150),
			verdict.Pass},
		{"a loss over another kind of connection is not asked for", verdict.On(evidence.Fresh, verdict.NoFailures()),
			breaking("worker-reused", evidence.Reset, 70),
			verdict.Pass},
		{"damage over the kind of connection asked for", verdict.On(evidence.Fresh, verdict.DamageSeen()),
			breaking("worker-fresh", evidence.Reset, 70),
			verdict.Pass},
		{"the old version answers to the end", verdict.On(evidence.Reused, verdict.StillServes("v1", 95)),
			answering("worker-reused", "v1", from(99, 199)...),
			verdict.Pass},
		{"the old version answers on one lane of two", verdict.StillServes("v1", 95), answering("worker-reused", "v1", from(99, 199)...),
			verdict.Fail},
		{"a version that never answered", verdict.StillServes("v3", 1), none, verdict.Fail},
		{"no lane of the kind", verdict.On(evidence.Fresh, verdict.StillServes("v1", 95)),
			func(ev *recording) { ev.Run.Lanes[0].Conn = evidence.Reused },
			verdict.Inconclusive},
		{"an outage as long as expected on every lane", verdict.MinOutage(200 * ms),
			all(breaking("worker-fresh", evidence.Refused, from(70, 95)...), breaking("worker-reused", evidence.Refused, from(70, 90)...)),
			verdict.Pass},
		{"a lane that was out for less", verdict.MinOutage(200 * ms),
			all(breaking("worker-fresh", evidence.Refused, from(70, 95)...), breaking("worker-reused", evidence.Refused, from(70, 80)...)),
			verdict.Fail},
		{"a lane that is not asked about", verdict.On(evidence.Fresh, verdict.MinOutage(200*ms)),
			breaking("worker-fresh", evidence.Refused, from(70, 95)...),
			verdict.Pass},
		{"new pods come when the old ones have ended", verdict.OldEndsFirst(), all(exited("a", 700), exited("b", 750), createdAs("v2", "c", 760)),
			verdict.Pass},
		{"a new pod comes before the last old one has ended", verdict.OldEndsFirst(),
			all(exited("a", 700), exited("b", 770), createdAs("v2", "c", 760)),
			verdict.Fail},
		{"an old pod of which no end was seen", verdict.OldEndsFirst(), all(created("b"), exited("a", 700), createdAs("v2", "c", 760)),
			verdict.Inconclusive},
		{"a load too short for one window", verdict.Share("v2", 50, evidence.OldGone), none,
			verdict.Inconclusive},
		{"a version answers as often as its part of the pods", verdict.Share("v2", 25, evidence.Barrier), drawn(25),
			verdict.Pass},
		{"a version answers more often than chance explains", verdict.Share("v2", 25, evidence.Barrier), drawn(40),
			verdict.Fail},
		{"a fact that is one of those expected", verdict.Fact("revisions", "2", "3"), noting("revisions", "1", "3"), verdict.Pass},
		{"a fact that is something else", verdict.Fact("revisions", "2", "3"), noting("revisions", "4"), verdict.Fail},
		{"a fact that nobody found out", verdict.Fact("revisions", "2"), none, verdict.Inconclusive},
		{"a fact that may be anything", verdict.Noted("revisions"), noting("revisions", "4"), verdict.Pass},
		{"a fact that may be anything, and that nobody found out", verdict.Noted("revisions"), none, verdict.Inconclusive},
		{"a fact without an expectation", verdict.Fact("revisions"), noting("revisions", "4"), verdict.Inconclusive},
		{"a duration in its bounds", verdict.FactWithin("until SIGTERM", 4*time.Second, 6*time.Second), noting("until SIGTERM", "6s"),
			verdict.Pass},
		{"a duration out of them", verdict.FactWithin("until SIGTERM", 4*time.Second, 6*time.Second), noting("until SIGTERM", "6.001s"),
			verdict.Fail},
		{"a duration that is none", verdict.FactWithin("until SIGTERM", 0, time.Second), noting("until SIGTERM", "soon"), verdict.Inconclusive},
		{"sizes in the order expected, and then others", verdict.Scaling("v2:1", "v1:1"),
			all(scaled(100, "v1", 2), scaled(510, "v2", 1), scaled(600, "v1", 1), scaled(700, "v2", 2)),
			verdict.Pass},
		{"sizes in another order", verdict.Scaling("v1:1", "v2:1"), all(scaled(510, "v2", 1), scaled(600, "v1", 1)),
			verdict.Fail},
		{"fewer sizes than expected", verdict.Scaling("v2:1", "v1:1"), scaled(510, "v2", 1), verdict.Fail},
		{"ReplicaSets ask for as many pods as allowed", verdict.MaxActive(3),
			all(scaled(0, "v1", 2), scaled(510, "v2", 1), scaled(600, "v1", 1), scaled(700, "v2", 2)),
			verdict.Pass},
		{"ReplicaSets ask for too many pods", verdict.MaxActive(2), all(scaled(0, "v1", 2), scaled(510, "v2", 1)), verdict.Fail},
		{"ReplicaSets that nobody saw", verdict.MaxActive(2), none, verdict.Inconclusive},
		{"no pod that left", verdict.MaxDrainLag(ms), none, verdict.Inconclusive},
		{"every node's rules stopped in time", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker"), ruleGone("worker", "b", 900)),
			verdict.Pass},
		{"one node's rules stopped too late", verdict.MaxRuleLag(50 * ms),
			all(left("b", 850), observed("worker", "worker2"), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 901)),
			verdict.Fail},
		{"rules that were not seen for a while when they stopped decide nothing", verdict.MaxRuleLag(50 * ms),
			all(left("b", 850), observed("worker"), ruleGone("worker", "b", 910),
				with(evidence.Event{At: 910 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
			verdict.Inconclusive},
		{"a node whose rules never stopped", verdict.MaxRuleLag(time.Second),
			all(left("b", 850), observed("worker", "worker2"), ruleAdded("worker", "b", 10), ruleAdded("worker2", "b", 10),
				ruleGone("worker", "b", 900), seenUntil("worker2", 1900)),
			verdict.Fail},
		{"a node whose rules came back", verdict.MaxRuleLag(time.Second),
			all(left("b", 850), observed("worker"), ruleGone("worker", "b", 900), ruleAdded("worker", "b", 950), seenUntil("worker", 1900)),
			verdict.Fail},
		{"rules that were not seen to the end decide nothing", verdict.MaxRuleLag(time.Second),
			all(left("b", 850), observed("worker"), ruleAdded("worker", "b", 10), seenUntil("worker", 1900),
				with(evidence.Event{At: 1900 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 950})),
			verdict.Inconclusive},
		{"a flap before the rollout is not the end", verdict.MaxRuleLag(50 * ms),
			all(left("b", 850), observed("worker"), ruleGone("worker", "b", 100), ruleAdded("worker", "b", 200), ruleGone("worker", "b", 880)),
			verdict.Pass},
		{"a pod that no rule ever routed to", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker")),
			verdict.Inconclusive},
		{"an API server that was slow when the pod left makes the lag uncertain", verdict.MaxRuleLag(50 * ms),
			all(left("b", 850), observed("worker"), ruleGone("worker", "b", 890),
				with(evidence.Event{At: 900 * ms, Kind: evidence.APIAnswered, Count: 20})),
			verdict.Inconclusive},
		{"a slow API server and rules seen late make it uncertain by the larger of the two", verdict.MaxRuleLag(50 * ms),
			all(left("b", 850), observed("worker"), ruleGone("worker", "b", 870),
				with(evidence.Event{At: 900 * ms, Kind: evidence.APIAnswered, Count: 20}),
				with(evidence.Event{At: 870 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 25})),
			verdict.Pass},
		{"rules that nobody observed", verdict.MaxRuleLag(time.Hour), all(left("b", 850), ruleGone("worker", "b", 900)),
			verdict.Inconclusive},
		{"no fresh lane in a pod", verdict.MaxDrainLag(ms), func(ev *recording) {
			ev.Run.Lanes[0].Conn, ev.Run.Lanes[2].Vantage = evidence.Reused, evidence.FromHost
		},
			verdict.Inconclusive},

		{"an old reply so close to the mark that clocks cannot tell decides nothing", verdict.OnlyServes("v2", evidence.OldGone),
			all(answering("worker-fresh", "v1", 119), skewed(0, 2*ms)),
			verdict.Inconclusive},

		{"every lane kept its rate", verdict.FullRate(99), none,
			verdict.Pass},
		{"a rate without a percentage decides nothing", verdict.FullRate(0), none,
			verdict.Inconclusive},

		{"no outage is short enough", verdict.MaxOutage(20 * ms), none,
			verdict.Pass},
		{"an outage as long as allowed passes", verdict.MaxOutage(20 * ms), breaking("worker-fresh", evidence.Refused, 70, 71),
			verdict.Pass},
		{"the longest of several outages decides", verdict.MaxOutage(20 * ms),
			all(breaking("worker-fresh", evidence.Refused, 70, 90), breaking("worker-reused", evidence.Refused, 60, 71, 72, 73)),
			verdict.Fail},
		{"an outage that never ended lasts until the load did", verdict.MaxOutage(time.Second),
			breaking("worker-fresh", evidence.Refused, from(89, 199)...),
			verdict.Fail},

		{"a closed outage within the limit does not hide an open one that may not be", verdict.MaxOutage(1105 * ms),
			all(breaking("worker-fresh", evidence.Refused, from(89, 199)...), breaking("worker-reused", evidence.Refused, from(79, 188)...),
				skewed(0, 20*ms)),
			verdict.Inconclusive},

		{"enough pods were available", verdict.MinAvailable(2), none,
			verdict.Pass},
		{"too few pods were available", verdict.MinAvailable(3), none,
			verdict.Fail},
		{"a deleting pod is not available", verdict.MinAvailable(2), with(pod(550, evidence.PodDeleting, "v1", "a")),
			verdict.Fail},
		{"without pod events capacity is unknown", verdict.MinAvailable(1),
			all(without(evidence.PodReady), without(evidence.PodGone), without(evidence.PodDeleting)),
			verdict.Inconclusive},
		{"no pod expected is no expectation", verdict.MinAvailable(0), none,
			verdict.Inconclusive},

		{"few enough pods", verdict.MaxPods(3), none,
			verdict.Pass},
		{"terminating pods count", verdict.MaxPods(2), none,
			verdict.Fail},
		{"at most nothing is no expectation", verdict.MaxPods(0), none,
			verdict.Inconclusive},
		{"unknown pods cannot be too many", verdict.MaxPods(1),
			all(without(evidence.PodReady), without(evidence.PodGone), without(evidence.PodDeleting)),
			verdict.Inconclusive},

		{"clients send while an old pod terminates beside a ready one", verdict.SentWhileTerminating(), none,
			verdict.Pass},
		{"another old pod is ready while one terminates", verdict.SentWhileTerminating(),
			all(without(evidence.PodReady), with(pod(0, evidence.PodReady, "v1", "a")), with(pod(0, evidence.PodReady, "v1", "b"))),
			verdict.Pass},
		{"no other pod is ready while the only old one terminates", verdict.SentWhileTerminating(),
			all(without(evidence.PodReady), with(pod(0, evidence.PodReady, "v1", "a"))),
			verdict.Inconclusive},
		{"no old pod terminates", verdict.SentWhileTerminating(), without(evidence.PodDeleting),
			verdict.Inconclusive},
		{"clocks that cannot tell whether it was sent while a pod terminated", verdict.SentWhileTerminating(), skewed(0, 200*ms),
			verdict.Inconclusive},

		{"rules left one pod before its SIGTERM and another after it", verdict.BothOrders(evidence.PodSigterm, evidence.RuleGone),
			all(left("a", 750), left("b", 850), sigterm("a", 760), sigterm("b", 900), ruleGone("worker", "a", 780), ruleGone("worker", "b", 880)),
			verdict.Pass},
		{"rules of one node left a pod before its SIGTERM, and those of another after it",
			verdict.BothOrders(evidence.PodSigterm, evidence.RuleGone),
			all(left("b", 850), sigterm("b", 900), ruleGone("worker", "b", 880), ruleGone("worker2", "b", 920)),
			verdict.Pass},
		{"rules left every pod before its SIGTERM", verdict.BothOrders(evidence.PodSigterm, evidence.RuleGone),
			all(left("a", 750), left("b", 850), sigterm("a", 790), sigterm("b", 900), ruleGone("worker", "a", 780), ruleGone("worker", "b", 880)),
			verdict.Inconclusive},
		{"rules left every pod after its SIGTERM", verdict.BothOrders(evidence.PodSigterm, evidence.RuleGone),
			all(left("a", 750), left("b", 850), sigterm("a", 760), sigterm("b", 860), ruleGone("worker", "a", 780), ruleGone("worker", "b", 880)),
			verdict.Inconclusive},
		{"an order that clocks cannot tell is none", verdict.BothOrders(evidence.PodSigterm, evidence.RuleGone),
			all(left("a", 750), left("b", 850), ruleGone("worker", "a", 780), ruleGone("worker", "b", 880),
				func(ev *recording) {
					ev.Run.Clocks = []evidence.ClockReading{{Node: "worker", Uncertainty: 30 * ms}}
					for name, at := range map[string]int{"a": 760, "b": 980} {
						e := pod(at, evidence.PodSigterm, "v1", name)
						e.Clock = "worker"
						with(e)(ev)
					}
				}),
			verdict.Inconclusive},
		{"rules that came back have no order", verdict.BothOrders(evidence.PodSigterm, evidence.RuleGone),
			all(left("b", 850), sigterm("b", 900), ruleGone("worker", "b", 880), ruleGone("worker2", "b", 920), ruleAdded("worker2", "b", 930)),
			verdict.Inconclusive},
		{"steps of no pod have no order", verdict.BothOrders(evidence.PodSigterm, evidence.EndpointNotReady), none,
			verdict.Inconclusive},

		{"a node's rules were behind", verdict.RulesBehind(),
			all(left("b", 850), ruleGone("worker", "b", 890), ruleGone("worker2", "b", 930), sigterm("b", 900)),
			verdict.Pass},
		{"rules that never left a pod out were behind", verdict.RulesBehind(),
			all(left("b", 850), observed("worker"), ruleAdded("worker", "b", 10), seenUntil("worker", 1900), sigterm("b", 1000)),
			verdict.Pass},
		{"no node's rules were behind", verdict.RulesBehind(),
			all(left("b", 850), ruleGone("worker", "b", 890), ruleGone("worker2", "b", 880), sigterm("b", 900)),
			verdict.Inconclusive},
		{"rules that were perhaps behind were not surely", verdict.RulesBehind(),
			all(left("b", 850), ruleGone("worker", "b", 910), sigterm("b", 900),
				with(evidence.Event{At: 910 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
			verdict.Inconclusive},
		{"rules that nobody saw were not behind", verdict.RulesBehind(), all(left("b", 850), sigterm("b", 900)),
			verdict.Inconclusive},

		{"requests before the rollout alone test nothing of it", verdict.NoFailures(), rolledOutLast,
			verdict.Inconclusive},
		{"nor do replies to them", verdict.NoLostReplies(), all(logged(nil), rolledOutLast),
			verdict.Inconclusive},
		{"nor does an outage that did not come until then", verdict.MaxOutage(20 * ms), rolledOutLast,
			verdict.Inconclusive},
		{"clients that stopped before it could have been too late saw no lag", verdict.MaxDrainLag(1150 * ms),
			with(pod(850, evidence.EndpointGone, "v1", "b")),
			verdict.Inconclusive},
		{"clocks that cannot tell whether anything was sent late enough", verdict.MaxDrainLag(time.Millisecond),
			all(with(pod(1990, evidence.EndpointGone, "v1", "b")), skewed(0, 20*ms)),
			verdict.Inconclusive},
		{"a load that ended sooner than the versions may mix", verdict.MaxMixedWindow(1100 * ms), none,
			verdict.Inconclusive},
		{"as many pods as ever, for none changed", verdict.MinAvailable(2),
			keeping(nil, func(e evidence.Event) bool { return e.By.Pod == "" || e.At == 0 }),
			verdict.Inconclusive},
		{"ReplicaSets that were given no size by the rollout", verdict.MaxActive(2), scaled(100, "v1", 2),
			verdict.Inconclusive},
		{"no old pod asked for is no expectation", verdict.OldAtStatus(0), created("a"),
			verdict.Inconclusive},

		{"a rule of a newer build decides nothing", evidence.Expectation{Rule: "no-sorrow"}, none,
			verdict.Inconclusive},
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
			fmt.Fprintf(&told, "%s\n%s", row.sentence, findingText(f))
			if v.Outcome != f.Outcome || v.Because != f.Because {
				t.Errorf("the only finding is %s (%s), the verdict %s (%s)", f.Outcome, f.Because, v.Outcome, v.Because)
			}
		})
	}
	golden(t, "findings.txt", told.String())
}

// findingText is all that a finding says.
func findingText(f verdict.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s: %s\n", f.Outcome, f.Headline)
	for _, fact := range f.Facts {
		fmt.Fprintf(&b, "    %s: %s\n", fact.Name, fact.Value)
	}
	fmt.Fprintf(&b, "  because %s\n  %d witnesses", f.Because, len(f.Witnesses))
	if f.Exposure.Unit != "" {
		fmt.Fprintf(&b, ", put to %s", phrase.Count(f.Exposure.Count, f.Exposure.Unit))
	}
	b.WriteString("\n\n")
	return b.String()
}
