package rollout

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

// Complete reports whether `kubectl rollout status` says that the rollout of a Deployment is done. It calls
// kubectl's own code, which does not look at terminating pods (kubectl v0.37,
// pkg/polymorphichelpers/rollout_status.go, DeploymentStatusViewer.Status). A rollout past its deadline is not done.
func Complete(d *appsv1.Deployment) bool {
	return done(&polymorphichelpers.DeploymentStatusViewer{}, d)
}

// CompleteSet is Complete for a StatefulSet. With the strategy OnDelete kubectl never says that it is done.
func CompleteSet(s *appsv1.StatefulSet) bool {
	return done(&polymorphichelpers.StatefulSetStatusViewer{}, s)
}

// CompleteDaemonSet is Complete for a DaemonSet.
func CompleteDaemonSet(s *appsv1.DaemonSet) bool {
	return done(&polymorphichelpers.DaemonSetStatusViewer{}, s)
}

// StatusOf returns what one call of `kubectl rollout status` prints about a Deployment, and whether the rollout is done. revision is the
// flag of that name; 0: it is not given.
func StatusOf(d *appsv1.Deployment, revision int64) (said string, done bool, err error) {
	return status(&polymorphichelpers.DeploymentStatusViewer{}, d, revision)
}

// Status returns what one call of `kubectl rollout status` prints about a StatefulSet.
func Status(s *appsv1.StatefulSet) (string, error) {
	said, _, err := status(&polymorphichelpers.StatefulSetStatusViewer{}, s, 0)
	return said, err
}

func done(viewer polymorphichelpers.StatusViewer, object any) bool {
	_, done, err := status(viewer, object, 0)
	return err == nil && done
}

func status(viewer polymorphichelpers.StatusViewer, object any, revision int64) (said string, done bool, err error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return "", false, err
	}
	return viewer.Status(&unstructured.Unstructured{Object: content}, revision)
}
