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
			report{Kind: NotScheduled, Lacks: LacksUntainted}},
		{"room on a worker counts before the taint of a control plane", "Pod", "FailedScheduling",
			"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3",
			report{Kind: NotScheduled, Lacks: LacksRoom}},
		{"so do the labels of a node", "Pod", "FailedScheduling",
			"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/3",
			report{Kind: NotScheduled, Lacks: LacksLabels}},
		{"an autoscaler adds no node", "Pod", "NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached",
			report{Kind: NoNodeComes}},
		{"a volume that cannot be mounted", "Pod", "FailedMount", `MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found`,
			report{Kind: NotMounted}},
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

func TestAbsentIn(t *testing.T) {
	for _, row := range []struct {
		sentence, message string
		want              Absent
	}{
		{"a Secret of a container", `secret "web-db" not found`, Absent{Kind: "Secret", Name: "web-db"}},
		{"a ConfigMap, by the API server's words", `configmaps "web" not found`, Absent{Kind: "ConfigMap", Name: "web"}},
		{"a key of a Secret", "couldn't find key url in Secret shop/web-db", Absent{Kind: "Secret", Name: "web-db", Key: "url"}},
		{"a key of a ConfigMap", "couldn't find key url in ConfigMap shop/web", Absent{Kind: "ConfigMap", Name: "web", Key: "url"}},
		{"a Secret of a volume", `MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found`,
			Absent{Kind: "Secret", Name: "web-tls"}},
		{"the first of a projected volume", `MountVolume.SetUp failed for volume "all" : [configmap "a" not found, secret "b" not found]`,
			Absent{Kind: "ConfigMap", Name: "a"}},
		{"a key of a Secret's volume", `MountVolume.SetUp failed for volume "tls" : references non-existent secret key: ca.crt`,
			Absent{Kind: "Secret", Key: "ca.crt"}},
		{"a key of a ConfigMap's volume", `MountVolume.SetUp failed for volume "c" : configmap references non-existent config key: a.yaml`,
			Absent{Kind: "ConfigMap", Key: "a.yaml"}},
		{"a claim", `0/3 nodes are available: persistentvolumeclaim "data" not found. preemption: 0/3 nodes are available`,
			Absent{Kind: "PersistentVolumeClaim", Name: "data"}},
		{"a claim that is being made",
			`0/3 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "web-data".`, Absent{}},
		{"an image", `Back-off pulling image "web:3": NotFound: web:3: not found`, Absent{}},
		{"a cache that is not filled yet", "failed to sync secret cache: timed out waiting for the condition", Absent{}},
	} {
		if got, known := AbsentIn(row.message); got != row.want || known != (row.want != Absent{}) {
			t.Errorf("%s: %+v, %t; want %+v", row.sentence, got, known, row.want)
		}
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
