package rollout

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

// A Workload is of a kind that `kubectl rollout status` knows.
type Workload interface {
	*appsv1.Deployment | *appsv1.StatefulSet | *appsv1.DaemonSet
}

// Complete reports whether `kubectl rollout status` says that the rollout of a workload is done. It calls kubectl's own code, which does
// not look at terminating pods (kubectl v0.37, pkg/polymorphichelpers/rollout_status.go, DeploymentStatusViewer.Status). A rollout past
// its deadline is not done, and that of a StatefulSet with the strategy OnDelete never is.
func Complete[T Workload](of T) bool {
	_, done, err := Status(of, 0)
	return err == nil && done
}

// Status returns what one call of `kubectl rollout status` prints about a workload, and whether the rollout is done. revision is the
// flag of that name; 0: it is not given.
func Status[T Workload](of T, revision int64) (said string, done bool, err error) {
	var viewer polymorphichelpers.StatusViewer
	switch any(of).(type) {
	case *appsv1.Deployment:
		viewer = &polymorphichelpers.DeploymentStatusViewer{}
	case *appsv1.StatefulSet:
		viewer = &polymorphichelpers.StatefulSetStatusViewer{}
	case *appsv1.DaemonSet:
		viewer = &polymorphichelpers.DaemonSetStatusViewer{}
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(of)
	if err != nil {
		return "", false, err
	}
	return viewer.Status(&unstructured.Unstructured{Object: content}, revision)
}
