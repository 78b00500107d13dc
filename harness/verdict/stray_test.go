package verdict_test

import (
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// A verdict names a pod of another version behind the Service, although half of the marks are missing.
func TestStrayPod(t *testing.T) {
	strayed := all(without(evidence.StatusDone), without(evidence.OldGone),
		on("worker-fresh", func(h *evidence.Hit) { h.By = evidence.Server{Version: "v3", Pod: "guest"} }, from(150, 199)...),
		with(evidence.Event{At: 1400 * ms, Kind: evidence.StrayPod, By: evidence.Server{Version: "v3", Pod: "guest"}, Object: "echo-7lbgg",
			Detail: "its labels match the Service's selector app=echo"}),
		recordedReason(evidence.StrayEndpoint, evidence.Scope{}))
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		spoil    edit
		want     verdict.Outcome
		headline string
	}{
		{"it gave replies", verdict.Serves("v1", "v2"), strayed, verdict.Fail,
			"50 of 400 replies were by pod guest of v3: its labels match the Service's selector app=echo"},
		{"it gave replies from a moment on", verdict.OnlyServes("v2", evidence.RolloutBegun), all(strayed,
			func(ev *recording) {
				for i := range ev.Hits {
					if h := &ev.Hits[i]; h.By.Version == "v1" && h.Lane != "control" {
						h.By.Version = "v2"
					}
				}
			}), verdict.Fail,
			"50 of 302 replies were by pod guest of v3: its labels match the Service's selector app=echo"},
		{"it gave replies as a version that is expected", verdict.Serves("v1", "v2"), all(strayed,
			on("worker-fresh", func(h *evidence.Hit) { h.By.Version = "v2" }, from(150, 199)...)), verdict.Fail,
			"50 of 400 replies were by pod guest of v2: its labels match the Service's selector app=echo"},
		{"it gave none", verdict.Serves("v1", "v2"), all(strayed,
			on("worker-fresh", func(h *evidence.Hit) { h.By = evidence.Server{Version: "v2", Pod: "c"} }, from(150, 199)...)), verdict.Inconclusive,
			"the recording cannot be trusted: so it was; and 1 reason more"},
		{"no event about it was noted", verdict.Serves("v1", "v2"), all(strayed, without(evidence.StrayPod),
			func(ev *recording) { ev.Run.Reasons = nil }), verdict.Fail,
			"50 of 400 replies were by v3, not by v1 or v2, on worker-fresh, from 1.01 s after the rollout began"},
	} {
		ev := rollout(row.expect)
		row.spoil(&ev)
		if v := judge(t, ev); v.Outcome != row.want || v.Headline != row.headline {
			t.Errorf("%s: %s: %s", row.sentence, v.Outcome, v.Headline)
		}
	}
}
