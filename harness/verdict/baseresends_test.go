package verdict_test

import (
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// A network that loses packets delays replies in a rollout, too. More than it does without one are the rollout's.
func TestUsualResends(t *testing.T) {
	const service, control, rollout = "worker-fresh", "control", 10_000 // the first request since it began
	resent := func(lane string, first, n uint64) edit {
		return on(lane, func(h *evidence.Hit) { h.Took, h.Connect, h.Resent = 1004*ms, 1002*ms, 1 }, from(first, first+n-1)...)
	}
	outside := func(ev *recording) { ev.Run.Lanes[0].Vantage, ev.Run.Lanes[0].Node = evidence.FromHost, "" }
	late := on(service, func(h *evidence.Hit) { h.Took = 1600 * ms }, rollout+5)
	for _, row := range []struct {
		sentence string
		changes  []edit
		want     verdict.Outcome
	}{
		{"none", nil, verdict.Pass},
		{"one in the rollout, none otherwise", []edit{resent(service, rollout, 1)}, verdict.Inconclusive},
		{"20 in the rollout, none otherwise", []edit{resent(service, rollout, 20)}, verdict.Fail},
		{"a network that loses 0.02 % of the packets, 3 of a request's, all the time",
			[]edit{resent(service, 9, 6), resent(control, 9, 12), resent(service, rollout, 6)}, verdict.Inconclusive},
		{"one before and one in the rollout", []edit{resent(service, 9, 1), resent(service, rollout, 1)}, verdict.Inconclusive},
		{"one past the Service and three in the rollout", []edit{resent(control, rollout, 1), resent(service, rollout, 3)},
			verdict.Inconclusive},
		{"one before and 30 in the rollout", []edit{resent(service, 9, 1), resent(service, rollout, 30)}, verdict.Fail},
		{"one before and none in the rollout", []edit{resent(service, 9, 1)}, verdict.Pass},
		{"one before, and in the rollout another and an answer that took long", []edit{resent(service, 9, 1), resent(service, rollout, 1), late},
			verdict.Fail},
		{"one in the rollout, from outside", []edit{outside, resent(service, rollout, 1)}, verdict.Inconclusive},
		{"30 in the rollout, from outside", []edit{outside, resent(service, rollout, 30)}, verdict.Fail},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := steady(10_000, row.changes...)
			ev.Run.Expect = []evidence.Expectation{verdict.NoSlowReplies(), verdict.MaxLatency(time.Second)}
			for _, f := range judge(t, ev).Findings {
				if f.Outcome != row.want {
					t.Errorf("%s: %s: %s", f.Rule, f.Outcome, f.Because)
				}
				if says := strings.Contains(f.Because, "otherwise"); says != (row.want == verdict.Inconclusive) {
					t.Errorf("%s: %s", f.Rule, f.Because)
				}
			}
		})
	}
}
