package statusgap

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// daemonSet: unlike that of a Deployment, the status of a DaemonSet can be relied on. By default the controller makes a node's new
// pod when the old one has ended, though the old pod's object may still be in the API; pods of other nodes serve the node's clients
// meanwhile. With a surge the new pod is there first, and the status counts a node's oldest pod, even while it terminates
// (Kubernetes v1.36.3, pkg/controller/daemon/daemon_controller.go, updateDaemonSetStatus). Seen: rollout status reported success
// 10.8 s after the last new pod became ready, which was 0.7 s after the last old one had ended. Pods that exit at once lose the
// requests in flight: of 3 requests a second, the fewest that a lane sends at half the rate, 1.5 take 0.5 s on kept connections to
// 3 pods at most, of which 2 end one after the other: none of the requests of both nodes is on them once in (3/2)^6, 11 times, per
// try.
func daemonSet() []harness.Scenario {
	surge := func(s *harness.Scenario) {
		s.App.MaxSurge, s.App.MaxUnavailable = new(intstr.FromInt32(1)), new(intstr.FromInt32(0))
	}
	drain := func(s *harness.Scenario) {
		s.App.AddDrain()
	}
	return harness.Scenario{
		App:  fixtures.App{Replicas: 2, MinReady: 2 * time.Second, HandlerDelay: 500 * time.Millisecond}, // for two workers
		Kind: harness.UnderLoad{Rate: 50, Rollout: rollout.UpdateDaemonSet("v1", "v2")},
		Uses: []string{cluster.ClusterChanges}, // on another cluster the number of workers is unknown
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.MinAvailable(1),
			verdict.OnlyServes("v2", evidence.StatusDone),
		},
	}.Twins(harness.Twin{
		ID:     "daemon-set",
		Claim:  "when rollout status reports success for a DaemonSet no client is answered by an old pod any more",
		Change: drain,
		Expect: []evidence.Expectation{verdict.NoFailures()},
	}, harness.Twin{
		ID:    "daemon-set-surged",
		Claim: "when rollout status reports success for a DaemonSet with a surge no client is answered by an old pod either",
		Change: func(s *harness.Scenario) {
			drain(s)
			surge(s)
		},
		Expect: []evidence.Expectation{verdict.NoFailures(), verdict.MinAvailable(2)},
	}, harness.Twin{
		ID:     "daemon-set-undrained",
		Claim:  "replacing the pods of a DaemonSet with a surge fails requests on kept connections when pods exit as soon as they get SIGTERM",
		Change: surge,
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Reused)},
	})
}
