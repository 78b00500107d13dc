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
	none := func(*evidence.Evidence) {}
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
			verdict.Fail, "3 of 400 requests failed (2 refused, 1 timeout) between 0.710s and 0.740s on worker-fresh, 0.210s after the rollout began: seq 70 71 73", 3},
		{"failures on two lanes carry the lane with each number", verdict.NoFailures(),
			all(breaking("worker-fresh", evidence.Reset, 71), breaking("worker-reused", evidence.Closed, 70)),
			verdict.Fail, "2 of 400 requests failed (1 reset, 1 closed) between 0.710s and 0.720s on worker-fresh and worker-reused, 0.210s after the rollout began: seq worker-reused/70 worker-fresh/71", 2},
		{"many failures are all counted and the first 20 named", verdict.NoFailures(), breaking("worker-fresh", evidence.Refused, from(70, 99)...),
			verdict.Fail, "30 of 400 requests failed (30 refused) between 0.710s and 1.000s on worker-fresh, 0.210s after the rollout began: seq 70 71 72 73 74 75 76 77 and 22 more", 20},
		{"a failure after the last old pod is gone is still a failure", verdict.NoFailures(), breaking("worker-fresh", evidence.Refused, 199),
			verdict.Fail, "1 of 400 requests failed (1 refused) at 2.000s on worker-fresh, 1.500s after the rollout began: seq 199", 1},

		{"damage on one of the pod lanes is enough", verdict.DamageSeen(), breaking("worker-reused", evidence.Reset, 70),
			verdict.Pass, "1 of 302 requests from pods failed after the rollout began (1 reset): 0 on worker-fresh, 1 on worker-reused", 1},
		{"no damage means the harness is blind", verdict.DamageSeen(), none,
			verdict.Inconclusive, "blind: 0 of 302 requests from pods failed after the rollout began, so a loss would not be seen", 0},
		{"damage only outside the cluster is not enough", verdict.DamageSeen(),
			all(func(ev *evidence.Evidence) { ev.Run.Lanes[1].Vantage = evidence.FromHost }, breaking("worker-reused", evidence.Reset, 70)),
			verdict.Inconclusive, "blind: 0 of 151 requests from pods failed after the rollout began, so a loss would not be seen", 0},

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
	want := []string{"no-failures", "damage-seen", "serves", "only-serves", "full-rate", "max-outage", "min-available", "max-pods"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}
