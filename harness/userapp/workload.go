package userapp

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
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
	n, err := limit(workload, "maxUnavailable", unavailable, f.Replicas, false)
	if err == nil && n == 0 && workload["kind"] == "Deployment" && Surge(workload, f.Replicas) == 0 {
		n = min(1, f.Replicas) // a rollout would not begin (pkg/controller/deployment/util/deployment_util.go, v1.37, ResolveFenceposts)
	}
	if err == nil {
		f.Unavailable = n
	}
}

// Surge returns how many pods beyond its replicas a rollout of a workload may have.
func Surge(workload map[string]any, replicas int) int {
	surge := intstr.FromInt32(0) // apps/v1 defaults.go, of DaemonSets
	if workload["kind"] == "Deployment" {
		surge = intstr.FromString("25%")
	}
	n, err := limit(workload, "maxSurge", surge, replicas, true)
	if err != nil {
		return 0
	}
	return n
}

// limit returns a limit of a workload's rolling update, in pods.
func limit(workload map[string]any, field string, otherwise intstr.IntOrString, replicas int, up bool) (int, error) {
	for _, at := range []string{"strategy", "updateStrategy"} {
		switch v, _, _ := unstructured.NestedFieldNoCopy(workload, "spec", at, "rollingUpdate", field); is := v.(type) {
		case int64:
			otherwise = intstr.FromInt32(int32(is))
		case string:
			otherwise = intstr.FromString(is)
		}
	}
	return intstr.GetScaledValueFromIntOrPercent(&otherwise, replicas, up)
}

// Selector returns a label selector of a manifest, such as that of a workload or a budget. One that is empty matches everything.
func Selector(of map[string]any) (labels.Selector, error) {
	var by metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(of, &by); err != nil {
		return nil, err
	}
	return metav1.LabelSelectorAsSelector(&by)
}
