package rollout

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// stuck: the limits of a rolling update stop a new version that cannot start: its image does not exist, its program ends at once
// again and again, or its node does not exist. [rollout.Stuck] waits until the cause is the expected one. The controller reports it
// after the deadline, and undoes nothing. With Recreate the old pods are gone before anybody knows: nobody is answered from then
// until the load ends, 5 s of the deadline and 3 s later.
func stuck() []harness.Scenario {
	base := harness.Scenario{App: fixtures.Drained(), Expect: []evidence.Expectation{verdict.FullRate(99), verdict.Serves("v1")}}
	stays := []evidence.Expectation{verdict.NoFailures(), verdict.MinAvailable(3), verdict.Scaling("v2:1"), verdict.MaxActive(4)}
	// Reasons for an image that must not be pulled, and for one that cannot be (Kubernetes v1.37, pkg/kubelet/images/types.go).
	noImage := rollout.Stuck("v1", "v2", func(a *fixtures.App) { a.Tag = "none" }, "ErrImageNeverPull", "ErrImagePull", "ImagePullBackOff")
	return base.Twins(harness.Twin{
		ID:     "stuck-image",
		Claim:  "a rollout to an image that is not there fails no request: the old pods all stay, and answer alone",
		Kind:   harness.UnderLoad{Rollout: noImage},
		Expect: stays,
	}, harness.Twin{
		ID:    "stuck-crashing",
		Claim: "a rollout to a version that crashes before it is ready fails no request: the old pods all stay, and answer alone",
		Kind: harness.UnderLoad{Rollout: rollout.Stuck("v1", "v2",
			func(a *fixtures.App) { a.ReadyDelay, a.CrashAfter = time.Hour, 100*time.Millisecond }, "CrashLoopBackOff")},
		Expect: stays,
	}, harness.Twin{
		ID:    "stuck-pending",
		Claim: "a rollout to pods that fit on no node fails no request: the old pods all stay, and answer alone",
		Kind: harness.UnderLoad{Rollout: rollout.Stuck("v1", "v2",
			func(a *fixtures.App) { a.Nodes = []string{"none"} }, corev1.PodReasonUnschedulable)},
		Expect: stays,
	}, harness.Twin{
		ID:     "stuck-recreated",
		Claim:  "Recreate to an image that is not there costs an outage that lasts beyond the progress deadline",
		Change: func(s *harness.Scenario) { s.App.MaxSurge, s.App.MaxUnavailable, s.App.Recreate = nil, nil, true },
		Kind:   harness.UnderLoad{Rollout: noImage},
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.MinOutage(rollout.StuckAfter + 3*time.Second - loadgen.DefaultTimeout).On(evidence.Fresh),
		},
	})
}
