package userapp

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/evidence"
)

// AddWorkload adds to the facts how a workload replaces its pods, and what advice needs for a patch.
func AddWorkload(f *evidence.UserApp, workload map[string]any) {
	f.Workload = Advisable(workload)
	if replicas, found, _ := unstructured.NestedInt64(workload, "spec", "replicas"); found {
		f.Replicas = int(replicas)
	}
	strategy, _, _ := unstructured.NestedString(workload, "spec", "strategy", "type")
	f.Recreate = strategy == string(appsv1.RecreateDeploymentStrategyType)
	unavailable := intstr.FromString("25%") // apps/v1 defaults.go, of Deployments
	if workload["kind"] != "Deployment" {
		unavailable = intstr.FromInt32(1)
	}
	for _, at := range []string{"strategy", "updateStrategy"} {
		switch v, _, _ := unstructured.NestedFieldNoCopy(workload, "spec", at, "rollingUpdate", "maxUnavailable"); limit := v.(type) {
		case int64:
			unavailable = intstr.FromInt32(int32(limit))
		case string:
			unavailable = intstr.FromString(limit)
		}
	}
	if n, err := intstr.GetScaledValueFromIntOrPercent(&unavailable, f.Replicas, false); err == nil {
		f.Unavailable = n
	}
}
