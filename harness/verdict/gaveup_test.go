package verdict_test

import (
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// A user's app may take long for its first replies after a rollout. If the user did not say for how long clients wait, a request that timed
// out in its pod says nothing.
func TestClientsThatGaveUp(t *testing.T) {
	const service = "worker-fresh"
	timedOut := on(service, func(h *evidence.Hit) {
		h.Took, h.Connect, h.Fault, h.Status, h.By = 2*time.Second, ms, evidence.Timeout, 0, evidence.Server{}
	}, from(120, 129)...)
	on := func(change func(*evidence.Hit)) edit { return on(service, change, from(120, 129)...) }
	chosen := func(ev *recording) {
		ev.Run.UserApp, ev.Run.Timeout, ev.Run.FirstReply = &evidence.UserApp{Named: true}, 2*time.Second, 20*ms
	}
	for _, row := range []struct {
		sentence string
		changes  []edit
		want     verdict.Outcome
	}{
		{"an app that takes 2.1 s or 3 s for its first replies, and clients that wait for 2 s", []edit{timedOut, chosen}, verdict.Inconclusive},
		{"2 s is what the user said", []edit{timedOut, chosen, func(ev *recording) { ev.Run.FirstReply = 0 }}, verdict.Fail},
		{"Rollcall's app", []edit{timedOut}, verdict.Fail},
		{"no connection was opened", []edit{timedOut, chosen, on(func(h *evidence.Hit) { h.Connect = 0 })}, verdict.Fail},
		{"nobody got the request, and it was sent again", []edit{timedOut, chosen, on(func(h *evidence.Hit) { h.Resent = 3 })}, verdict.Fail},
		{"another request was refused", []edit{timedOut, chosen, breaking(service, evidence.Refused, 140)}, verdict.Fail},
		{"nothing failed", []edit{chosen}, verdict.Pass},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.NoFailures(), verdict.MaxFailedShare(1))
			all(row.changes...)(&ev)
			v := judge(t, ev)
			for _, f := range v.Findings {
				says := strings.Contains(f.Headline, "clients gave up after 2.00 s, which --timeout changes")
				if f.Outcome != row.want || says != (row.want == verdict.Inconclusive) {
					t.Errorf("%s is %s, want %s: %s", f.Rule, f.Outcome, row.want, f.Headline)
				}
			}
		})
	}
}
