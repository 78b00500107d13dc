package message

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

func TestOf(t *testing.T) {
	type report = evidence.Report
	for _, row := range []struct {
		sentence, kind, reason, message string
		want                            report
	}{
		{"a kubelet stops a container", "Pod", "Killing", "Stopping container web", report{Kind: StopsContainer}},
		{"a liveness probe has a container restarted", "Pod", "Killing", "Container web failed liveness probe, will be restarted",
			report{Kind: KilledByLiveness}},
		{"a startup probe does", "Pod", "Killing", "Container web failed startup probe, will be restarted",
			report{Kind: KilledByStartup}},
		{"a hook failed, for whatever cause", "Pod", "FailedPreStopHook", "PreStopHook failed", report{Kind: HookFails}},
		{"a probe got no answer over HTTP", "Pod", "Unhealthy", `Readiness probe failed: Get "http://10.0.0.7:80/": context deadline exceeded`,
			report{Kind: ProbeTimesOut}},
		{"a probe got an answer that is not good", "Pod", "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503",
			report{Kind: ProbeFails}},
		{"an autoscaler sets a size", "HorizontalPodAutoscaler", "SuccessfulRescale", "New size: 12; reason: All metrics below target",
			report{Kind: Rescales, Size: 12}},
		{"an autoscaler writes of a size in other words", "HorizontalPodAutoscaler", "SuccessfulRescale", "Size is now 12",
			report{Kind: UnknownReport}},
		{"another object has the reason of an autoscaler", "Deployment", "SuccessfulRescale", "New size: 12; reason: x", report{}},
		{"no node has the port", "Pod", "FailedScheduling",
			"0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.",
			report{Kind: NotScheduled, Lacks: LacksPort}},
		{"what preemption would do is not what the pod lacks", "Pod", "FailedScheduling",
			"0/1 nodes are available: 1 node(s) had untolerated taint(s). preemption: 0/1 nodes are available: 1 Insufficient cpu.",
			report{Kind: NotScheduled}},
		{"a volume that another controller may bind", "Pod", "FailedScheduling",
			"0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
			report{Kind: NotScheduled, Lacks: LacksClaim}},
		{"a quota comes before the rejection that it is", "ReplicaSet", "FailedCreate",
			`Error creating: pods "x" is forbidden: exceeded quota: q`, report{Kind: NotCreated, Lacks: LacksQuota}},
		{"a policy rejects a pod", "ReplicaSet", "FailedCreate", `Error creating: pods "x" is forbidden: violates PodSecurity`,
			report{Kind: NotCreated, Lacks: LacksAdmission}},
		{"an image that does not exist", "Pod", "Failed", `Failed to pull image "web:3": rpc error: desc = web:3: not found`,
			report{Kind: NotPulled}},
		{"a registry that does not answer", "Pod", "Failed", `Failed to pull image "web:3": dial tcp: i/o timeout`, report{}},
		{"a reason that nobody reads", "Deployment", "ScalingReplicaSet", "Scaled up replica set a to 1", report{}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if diff := cmp.Diff(row.want, Of(row.kind, row.reason, row.message)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVolumeUsers(t *testing.T) {
	for _, row := range []struct {
		sentence, message string
		want              []string
	}{
		{"two pods use it", `Multi-Attach error for volume "v" Volume is already used by pod(s) a, b`, []string{"a", "b"}},
		{"a node has it, and the pods are of another namespace",
			`Multi-Attach error for volume "v" Volume is already exclusively attached to one node`,
			nil},
	} {
		if got := VolumeUsers(row.message); !cmp.Equal(got, row.want) && len(got)+len(row.want) > 0 {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

func TestNeverPulled(t *testing.T) {
	for _, row := range []struct {
		sentence, reason, message string
		want                      bool
	}{
		{"the registry does not have it", "ImagePullBackOff", `Back-off pulling image "web:3": NotFound: web:3: not found`, true},
		{"the registry does not answer", "ErrImagePull", "dial tcp 10.0.0.9:443: i/o timeout", false},
		{"the kubelet may not pull it", "ErrImageNeverPull", "", true},
		{"it is being pulled", "ContainerCreating", "", false},
	} {
		if got := NeverPulled(row.reason, row.message); got != row.want {
			t.Errorf("%s: %t", row.sentence, got)
		}
	}
}
