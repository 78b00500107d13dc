package verdict_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// steady records a lane from worker and a control lane, each with a number of requests before the rollout and 10,000 after.
func steady(before int, breaks ...edit) recording {
	lanes := []evidence.Lane{
		{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Rate: 100},
		{ID: "control", Vantage: evidence.FromControl, Node: "worker", Conn: evidence.Fresh, Rate: 100},
	}
	ev := recording{
		Run: evidence.Run{Scenario: "drained", OldVersion: "v1", NewVersion: "v2", Lanes: lanes,
			Expect: []evidence.Expectation{verdict.NoFailures()}},
		Events: []evidence.Event{mark(0, evidence.LoadBegun), mark(10*before, evidence.RolloutBegun),
			mark(10*before+1000, evidence.StatusDone), mark(10*before+2000, evidence.OldGone), mark(10*before+100_000, evidence.LoadEnded)},
	}
	for _, lane := range lanes {
		for i := range before + 10_000 {
			due := time.Duration(i) * 10 * ms
			ev.Hits = append(ev.Hits, evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due, Took: ms, Status: 200,
				By: evidence.Server{Version: "v1", Pod: "b"}, Attempts: 1})
		}
	}
	all(breaks...)(&ev)
	return ev
}

func TestBaseLoss(t *testing.T) {
	const service, control, rollout = "worker-fresh", "control", 10_000 // the first request since it began
	refused := func(lane string, first, n uint64) edit {
		return breaking(lane, evidence.Refused, from(first, first+n-1)...)
	}
	timedOut := func(lane string, first, n uint64) edit {
		return breaking(lane, evidence.Timeout, from(first, first+n-1)...)
	}
	inFlight := func(fault evidence.Fault) edit { // when the rollout began, 10 ms after they were sent
		return all(breaking(service, fault, rollout-1), on(service, func(h *evidence.Hit) { h.Took = 300 * ms }, rollout-1))
	}
	for _, row := range []struct {
		sentence string
		breaks   []edit
		want     verdict.Outcome
	}{
		{"one that was sent before and cut after", []edit{inFlight(evidence.Reset)}, verdict.Fail},
		{"one that was sent before and never answered", []edit{inFlight(evidence.Timeout)}, verdict.Inconclusive},
		{"one before 10,000 requests and 200 afterwards", []edit{refused(service, 9, 1), refused(service, rollout, 200)}, verdict.Fail},
		{"one before and one after", []edit{refused(service, 9, 1), refused(service, rollout, 1)}, verdict.Inconclusive},
		{"one before and a few after", []edit{refused(service, 9, 1), refused(service, rollout, 5)}, verdict.Inconclusive},
		{"one before and none after", []edit{refused(service, 9, 1)}, verdict.Inconclusive},
		{"as many before as after", []edit{refused(service, 9, 200), refused(service, rollout, 200)}, verdict.Inconclusive},
		{"many before and many of another kind after", []edit{timedOut(service, 9, 50), refused(service, rollout, 50)}, verdict.Fail},
		{"many before and one of another kind after", []edit{timedOut(service, 9, 50), refused(service, rollout, 1)}, verdict.Inconclusive},
		{"one on the control lane and 200 through the Service", []edit{refused(control, rollout, 1), refused(service, rollout, 200)},
			verdict.Fail},
		{"as many on the control lane as through the Service", []edit{refused(control, rollout, 50), refused(service, rollout, 50)},
			verdict.Inconclusive},
		{"one on the control lane and none through the Service", []edit{refused(control, rollout, 1)}, verdict.Inconclusive},
		{"more than the failures before explain, but no more than those of the control lane",
			[]edit{refused(service, 9, 1), refused(control, rollout, 200), refused(service, rollout, 200)}, verdict.Inconclusive},
		{"a node that was not ready makes them unknown all the same",
			[]edit{refused(service, 9, 1), refused(service, rollout, 200), nodeUnready("worker", 150_000)}, verdict.Inconclusive},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if v := judge(t, steady(rollout, row.breaks...)); v.Outcome != row.want {
				t.Errorf("%s, want %s: %s", v.Outcome, row.want, v.Because)
			}
		})
	}
	if v := judge(t, steady(100, refused(service, 9, 1), refused(service, 200, 200))); v.Outcome != verdict.Inconclusive {
		t.Errorf("one of only 100 before: %s: %s", v.Outcome, v.Because)
	}
}
