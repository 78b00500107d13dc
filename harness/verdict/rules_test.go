package verdict_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// Without hits the recording cannot be trusted anyway, but the rules themselves must not pass either.
func TestRulesOnNothing(t *testing.T) {
	for _, x := range []evidence.Expectation{
		verdict.NoFailures(), verdict.DamageSeen(), verdict.Serves("v1"), verdict.OnlyServes("v2", evidence.OldGone),
		verdict.FullRate(99), verdict.MaxOutage(time.Second), verdict.MinAvailable(1), verdict.MaxPods(9),
		verdict.NoLostReplies(), verdict.NoHiddenRetries(), verdict.MaxDrainLag(time.Hour),
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

func TestWitnesses(t *testing.T) {
	ev := rollout(verdict.NoFailures())
	all(breaking("worker-reused", evidence.Closed, 70), breaking("worker-fresh", evidence.Reset, 71, 69),
		on("worker-reused", func(h *evidence.Hit) { h.Due += 25 * ms; h.Sent = h.Due }))(&ev)
	want := []verdict.Witness{{Lane: "worker-fresh", Seq: 69}, {Lane: "worker-fresh", Seq: 71}, {Lane: "worker-reused", Seq: 70}}
	if diff := cmp.Diff(want, judge(t, ev).Findings[0].Witnesses); diff != "" {
		t.Errorf("witnesses (-want +got):\n%s", diff)
	}
}

func TestRuleIDs(t *testing.T) {
	var ids []string
	for _, rule := range verdict.Rules() {
		ids = append(ids, rule.ID)
		if rule.Claim == "" {
			t.Errorf("%s claims nothing", rule.ID)
		}
	}
	slices.Sort(ids)
	want := []string{
		"all-answered", "all-fail", "answered-by", "answered-by-deleted", "answered-within", "answers-after", "back-within",
		"between", "both-orders", "clean-cut", "clients-before-sigterm", "cut-again",
		"cut-as-predicted", "damage-seen", "done-after", "ended-by-kill",
		"equal-turns", "even-turns", "fact", "fact-at-least", "fact-within", "full-rate", "kept-connections", "ledger",
		"losses-at-steps", "lost-at-steps", "lost-share", "lost-to", "lost-while-none-serves", "lost-while-starting",
		"lost-while-terminating", "max-active", "max-connection-share", "max-cuts", "max-drain-lag",
		"max-failed-share", "max-latency", "max-mixed-window", "max-outage", "max-p99",
		"max-pods", "max-rule-lag", "max-status-gap", "max-switch", "min-available", "min-connection-share", "min-mixed-window", "min-outage",
		"min-terminations", "min-terminations-lost", "mixes", "most-drain-lags", "no-failures", "no-hidden-retries", "no-lost-replies",
		"no-slow-replies", "not-answered-by-deleted", "noted", "old-at-status", "old-ends-first", "only-serves", "only-serves-after",
		"pause", "reaches-terminating",
		"recovers-within", "reply-gap", "rules-before-sigterm",
		"scaling", "sent-in-maintenance", "sent-while-terminating", "serves", "serves-until-sigterm",
		"share", "something-changed", "step-in-rollout", "still-serves", "told-before-end", "versions-overlap",
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}
