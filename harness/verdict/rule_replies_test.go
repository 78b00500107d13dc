package verdict_test

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Rules about replies that were lost and requests that were sent twice.
var replyRows = []ruleRow{
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
	{"a request that was sent twice before the rollout was not for its sake", verdict.NoHiddenRetries(), logged(func(h evidence.Hit) int {
		if h.Lane == "worker-reused" && h.Seq == 20 {
			return 2
		}
		return 1
	}), verdict.Pass},
	{"a request given to two connections was sent twice, whatever arrived", verdict.NoHiddenRetries(),
		on("worker-reused", func(h *evidence.Hit) { h.Attempts = 2 }, 120),
		verdict.Fail},
	{"without arrivals a retry may have been missed", verdict.NoHiddenRetries(), none,
		verdict.Inconclusive},
}

func drawReplyRules(*drawing) []evidence.Expectation {
	return []evidence.Expectation{verdict.NoLostReplies(), verdict.NoHiddenRetries()}
}
