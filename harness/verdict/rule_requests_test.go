package verdict_test

import (
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// What became of requests, and how they were sent.
var requestRows = []ruleRow{
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
	{"of terminations that lost a request on other lanes nothing is said", verdict.On(evidence.Fresh, verdict.NoFailures()),
		breaking("worker-reused", evidence.Reset, 90),
		verdict.Pass},
	{"a loss over another kind of connection is not asked for", verdict.On(evidence.Fresh, verdict.NoFailures()),
		breaking("worker-reused", evidence.Reset, 70),
		verdict.Pass},
	{"requests before the rollout alone test nothing of it", verdict.NoFailures(), rolledOutLast,
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
	{"damage over the kind of connection asked for", verdict.On(evidence.Fresh, verdict.DamageSeen()),
		breaking("worker-fresh", evidence.Reset, 70),
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
	{"replies to requests before the rollout alone test nothing of it", verdict.NoLostReplies(), all(logged(nil), rolledOutLast),
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

	{"an outage as long as expected on every lane", verdict.MinOutage(200 * ms),
		all(breaking("worker-fresh", evidence.Refused, from(70, 95)...), breaking("worker-reused", evidence.Refused, from(70, 90)...)),
		verdict.Pass},
	{"a lane that was out for less", verdict.MinOutage(200 * ms),
		all(breaking("worker-fresh", evidence.Refused, from(70, 95)...), breaking("worker-reused", evidence.Refused, from(70, 80)...)),
		verdict.Fail},
	{"a lane that is not asked about", verdict.On(evidence.Fresh, verdict.MinOutage(200*ms)),
		breaking("worker-fresh", evidence.Refused, from(70, 95)...),
		verdict.Pass},

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
	{"no outage among requests before the rollout alone tests nothing of it", verdict.MaxOutage(20 * ms), rolledOutLast,
		verdict.Inconclusive},
}
