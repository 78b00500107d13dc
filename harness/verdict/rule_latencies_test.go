package verdict_test

import (
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Rules about how long replies took.
var latencyRows = []ruleRow{
	{"no reply that waited for TCP passes", verdict.NoSlowReplies(), twoNodes,
		verdict.Pass},
	{"SYNs of one node that were sent again are that node's, whichever pod they were for", verdict.NoSlowReplies(),
		all(twoNodes, opening("worker2-fresh", 1003, from(70, 99)...)),
		verdict.Fail},
	{"a pod that does not take SYNs is named", verdict.NoSlowReplies(),
		all(twoNodes, opening("worker-fresh", 1003, 71, 73, 75), opening("worker2-fresh", 1003, 71, 73)),
		verdict.Inconclusive},
	{"SYNs to and from one node are that node's", verdict.NoSlowReplies(),
		all(twoNodes, opening("worker-fresh", 1003, 71, 111), opening("worker2-fresh", 1003, 70, 71, 73)),
		verdict.Inconclusive},
	{"requests that were sent again are told, however short the wait", verdict.NoSlowReplies(),
		all(twoNodes, on("worker-fresh", func(h *evidence.Hit) { h.Took, h.Resent = 205*ms, 1 }, 70)),
		verdict.Inconclusive},
	{"a client that was late itself shows nothing about TCP", verdict.NoSlowReplies(),
		all(twoNodes, opening("worker2-fresh", 1003, 70), on("worker2-fresh", func(h *evidence.Hit) { h.Sent += 600 * ms }, 90)),
		verdict.Inconclusive},
	{"a pod that takes a second to answer is named", verdict.NoSlowReplies(),
		all(twoNodes, answeringIn("worker-fresh", 1100, 71, 73), answeringIn("worker2-fresh", 1200, 71)),
		verdict.Fail},
	{"a pod is not slow on a machine on which others are", verdict.NoSlowReplies(),
		all(twoNodes, answeringIn("worker-fresh", 1100, 71, 73), answeringIn("control", 330, 72)),
		verdict.Inconclusive},
	{"an app that always takes as long is not slow", verdict.NoSlowReplies(),
		all(twoNodes, answeringIn("worker-fresh", 1100), answeringIn("worker2-fresh", 1100)),
		verdict.Pass},
	{"replies of a rollout that never ended are counted", verdict.NoSlowReplies(),
		all(twoNodes, opening("worker2-fresh", 1003, from(70, 99)...), keeping(nil, func(e evidence.Event) bool {
			return e.Kind != evidence.OldGone && e.Kind != evidence.Barrier
		})),
		verdict.Fail},
	{"packets that were lost before the rollout are not lost by it", verdict.NoSlowReplies(),
		all(twoNodes, opening("worker2-fresh", 1003, from(20, 30)...)),
		verdict.Pass},
	{"the usual time of an app that is not ours is not known", verdict.NoSlowReplies(),
		all(twoNodes, func(ev *recording) { ev.Run.UserApp = &evidence.UserApp{Named: true} }, answeringIn("worker-fresh", 1100, 71, 73)),
		verdict.Pass},
	{"replies within the limit pass", verdict.MaxLatency(time.Second), all(twoNodes, answeringIn("worker-fresh", 900, 71)),
		verdict.Pass},
	{"every reply has to be, not most", verdict.MaxLatency(100 * ms), all(twoNodes, answeringIn("worker-fresh", 101, 71)),
		verdict.Fail},
	{"of many slow ones only the kept ones are counted", verdict.MaxLatency(100 * ms),
		all(twoNodes, answeringIn("worker-fresh", 150, from(70, 99)...)),
		verdict.Fail},
	{"those before the rollout are not", verdict.MaxLatency(100 * ms), all(twoNodes, answeringIn("worker-fresh", 900, from(0, 45)...)),
		verdict.Pass},
	{"nor do they hide a later one", verdict.MaxLatency(100 * ms),
		all(twoNodes, answeringIn("worker-fresh", 900, from(0, 45)...), answeringIn("worker-fresh", 150, 71)),
		verdict.Fail},
	{"a busy machine is not a slow app", verdict.MaxLatency(100 * ms),
		all(twoNodes, answeringIn("worker-fresh", 250, 71), answeringIn("control", 210, 71)),
		verdict.Inconclusive},
	{"one late reply of a hundred does not count", verdict.MaxP99(100 * ms), all(twoNodes, answeringIn("worker-fresh", 900, 71)),
		verdict.Pass},
	{"nor do late ones before the rollout", verdict.MaxP99(100 * ms), all(twoNodes, answeringIn("worker-fresh", 900, from(0, 45)...)),
		verdict.Pass},
	{"more of them do, on one lane too", verdict.MaxP99(100 * ms), all(twoNodes, answeringIn("worker-fresh", 900, from(71, 75)...)),
		verdict.Fail},
	{"where packets waited they are excused", verdict.MaxP99(100 * ms), all(twoNodes, answeringIn("worker-fresh", 250, from(71, 75)...),
		answeringIn("control", 210, from(71, 75)...)), verdict.Inconclusive},
}

func drawLatencyRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of latencies")
	return []evidence.Expectation{verdict.NoSlowReplies(), verdict.MaxLatency(r.lasts()), verdict.MaxP99(r.lasts())}
}
