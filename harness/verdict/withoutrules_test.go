package verdict_test

import (
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// unobserved makes it a recording of a cluster whose nodes' rules could not be read: then the barrier is only about the endpoints.
func unobserved(ev *recording) {
	ev.Run.Lacks = []evidence.Feature{{Name: evidence.NodeRules, Because: "privileged pods were not allowed"}}
	ev.Run.Kubernetes = "v1.36.3"
}

// stay makes it a recording of a rollout that keeps the old pods.
func stay(ev *recording) {
	without(evidence.OldGone)(ev)
	with(mark(900, evidence.Barrier))(ev)
}

func TestWithoutRules(t *testing.T) {
	const lacks = "this cluster lacks node-rules: privileged pods were not allowed"
	within := func(d time.Duration, x evidence.Expectation) evidence.Expectation { x.Max = d; return x }
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		spoil    edit
		want     verdict.Outcome
		evidence verdict.EvidenceKind
		says     string // the finding, among other things
	}{
		{"clients have as long as rules to stop using a pod that left", verdict.MaxRuleLag(200 * ms),
			left("b", 850), verdict.Pass, verdict.Clients,
			"b was sent new connections from worker until 140 ms after its endpoint left, 200 ms allowed"},
		{"a client that was sent there for longer shows that rules did, too", verdict.MaxRuleLag(100 * ms), left("b", 850), verdict.Fail,
			verdict.Clients, "by clients, for this cluster's node rules cannot be read"},
		{"without a lane that follows the rules clients show nothing of them", verdict.MaxRuleLag(200 * ms),
			all(left("b", 850), func(ev *recording) { ev.Run.Lanes[0].Conn = evidence.Reused }), verdict.Skipped, "", lacks},
		{"no client was sent to a pod after its SIGTERM", verdict.RulesBeforeSigterm(), all(left("b", 850), sigterm("b", 1010)), verdict.Pass,
			verdict.Clients, "the last new connection from worker to b was opened 20 ms before its SIGTERM"},
		{"a client that was sent to a pod after its SIGTERM was led there by rules", verdict.RulesBeforeSigterm(),
			all(left("b", 850), sigterm("b", 900)), verdict.Fail, verdict.Clients,
			"the last new connection from worker to b was opened 90 ms after its SIGTERM"},
		{"a request that reached no pod may have been sent there", verdict.RulesBeforeSigterm(),
			all(left("b", 850), sigterm("b", 1010), breaking("worker-fresh", evidence.Refused, 102)), verdict.Skipped, "",
			lacks + "; and 1 request over new connections from pods reached no known pod, so clients cannot decide it"},
		{"nor do rules whose pods may have been gone by then", verdict.MaxRuleLag(200 * ms),
			all(left("b", 850), breaking("worker-fresh", evidence.Refused, 102)), verdict.Skipped, "", lacks + "; and 1 request over new"},
		{"a client that was sent there for too long shows it all the same", verdict.MaxRuleLag(100 * ms),
			all(left("b", 850), breaking("worker-fresh", evidence.Refused, 102)), verdict.Fail, verdict.Clients, "by clients"},
		{"a SIGTERM that nobody saw decides nothing", verdict.RulesBeforeSigterm(), left("b", 850), verdict.Inconclusive, verdict.Clients,
			"no old pod was both sent new connections from pods and seen to get SIGTERM"},
		{"from the barrier is from when the last old pod had left the API", verdict.OnlyServes("v2", evidence.Barrier), nil, verdict.Pass,
			verdict.Clients, "all 162 replies after old-gone were by v2 (old-gone: 1.200 s); from old-gone, for this cluster's node rules cannot be read"},
		{"an old reply after that is one too many", verdict.OnlyServes("v2", evidence.Barrier), answering("worker-fresh", "v1", 150),
			verdict.Fail, verdict.Clients, "from old-gone"},
		{"where the old pods stay, the rules may follow the endpoints for as long as the scenario lets them",
			verdict.OnlyServes("v2", evidence.Barrier), stay, verdict.Pass, verdict.Clients,
			"all 202 replies later than 50 ms after barrier were by v2 (barrier: 0.900 s); from 50 ms after the endpoints"},
		{"an old reply after that shows rules that did not follow", verdict.OnlyServes("v2", evidence.Barrier),
			all(stay, answering("worker-fresh", "v1", 150)), verdict.Fail, verdict.Clients,
			"1 of 202 replies later than 50 ms after barrier was not by v2"},
		{"an expectation for whose moment there is no other is skipped",
			within(time.Second, verdict.Between(evidence.Barrier, evidence.PodGone, 0, 1)),
			stay, verdict.Skipped, "", lacks},
		{"an expectation that needs no node's rules is judged as usual", verdict.OnlyServes("v2", evidence.OldGone), nil, verdict.Pass,
			verdict.Clients, "all 162 replies after old-gone were by v2"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.NoHiddenRetries(), row.expect, verdict.MaxRuleLag(50*ms))
			unobserved(&ev)
			if row.spoil != nil {
				row.spoil(&ev)
			}
			f := judge(t, ev).Findings[1]
			if f.Outcome != row.want || f.Evidence != row.evidence || !strings.Contains(f.Because, row.says) {
				t.Errorf("%s by %s: %q, want %s by %s: %q", f.Outcome, f.Evidence, f.Because, row.want, row.evidence, row.says)
			}
			if f.Rule != row.expect.Rule || f.Claim == "" {
				t.Errorf("it is a finding of %s: %q", f.Rule, f.Claim)
			}
		})
	}
}

// A canary stays beside the old pods: its share is counted after the rules had time to follow.
func TestShareWithoutRules(t *testing.T) {
	ev := rollout(verdict.Share("v2", 50, evidence.Barrier))
	unobserved(&ev)
	stay(&ev)
	ev.Events[len(ev.Events)-2] = mark(12_000, evidence.LoadEnded)
	f := judge(t, ev).Findings[0]
	if want := "worker-fresh got 0 replies to requests sent from 4s to 9s; from 3.00 s after the endpoints"; !strings.Contains(f.Because, want) {
		t.Errorf("%s: %q, want %q", f.Outcome, f.Because, want)
	}
}
