package statusgap

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// daemonSet: a DaemonSet has a pod on every worker. With a surge the new one is there first, and rollout status reports success
// while the last old one still ends. By itself a DaemonSet makes the new one when the old one has ended, though its object may still
// be in the API: its word can be relied on, and a node is without a pod meanwhile, whose clients are served by those of other nodes.
// Why pods that exit at once have to lose requests says termination/shutdown-at-sigterm.
func daemonSet() []harness.Scenario {
	surge := func(s *harness.Scenario) {
		s.App.MaxSurge, s.App.MaxUnavailable = new(intstr.FromInt32(1)), new(intstr.FromInt32(0))
	}
	drain := func(s *harness.Scenario) {
		s.App.PreStopSleep, s.App.Linger, s.App.OnTerm = 5*time.Second, 2*time.Second, fixtures.Drain
	}
	return harness.Scenario{
		App:     fixtures.App{Replicas: 2, MinReady: 2 * time.Second, HandlerDelay: 500 * time.Millisecond}, // for two workers
		Load:    harness.Load{Rate: 50},
		Rollout: rollout.UpdateDaemonSet("v1", "v2"),
		Uses:    []string{cluster.ClusterChanges}, // how many workers another cluster has nobody knows
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.MinAvailable(1),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}.Twins(harness.Twin{
		ID:     "daemon-set",
		Claim:  "when rollout status reports success for a DaemonSet without a surge no client is answered by an old pod any more",
		Change: drain,
		Expect: []evidence.Expectation{
			verdict.NoFailures(), verdict.OnlyServes("v2", evidence.StatusDone),
		},
	}, harness.Twin{
		ID:    "daemon-set-surged",
		Claim: "rollout status reports success for a DaemonSet with a surge while an old pod still answers clients",
		Change: func(s *harness.Scenario) {
			drain(s)
			surge(s)
		},
		Expect: []evidence.Expectation{
			verdict.NoFailures(), verdict.OldAtStatus(1), verdict.AnswersAfter("v1", evidence.StatusDone, 1),
		},
	}, harness.Twin{
		ID:     "daemon-set-undrained",
		Claim:  "replacing the pods of a DaemonSet fails requests when pods exit as soon as they get SIGTERM",
		Change: surge,
		Expect: []evidence.Expectation{verdict.LostWhileTerminating().On(evidence.Fresh)},
	})
}
