package rollout

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

// Complete reports whether `kubectl rollout status` says that the rollout of a Deployment is done. It is asked of
// kubectl's own code, which does not look at terminating pods (kubectl v0.37,
// pkg/polymorphichelpers/rollout_status.go, DeploymentStatusViewer.Status). A rollout past its deadline is not.
func Complete(d *appsv1.Deployment) bool {
	return done(&polymorphichelpers.DeploymentStatusViewer{}, d)
}

// CompleteSet is the same of a StatefulSet. Of one whose pods are replaced by hand kubectl never says so.
func CompleteSet(s *appsv1.StatefulSet) bool {
	return done(&polymorphichelpers.StatefulSetStatusViewer{}, s)
}

// CompleteDaemonSet is the same of a DaemonSet.
func CompleteDaemonSet(s *appsv1.DaemonSet) bool {
	return done(&polymorphichelpers.DaemonSetStatusViewer{}, s)
}

// StatusOf is what `kubectl rollout status` prints about a Deployment, once, and whether it is then done. A revision other than 0 is
// that of its flag of this name.
func StatusOf(d *appsv1.Deployment, revision int64) (said string, done bool, err error) {
	return status(&polymorphichelpers.DeploymentStatusViewer{}, d, revision)
}

// Status is what `kubectl rollout status` prints about a StatefulSet, once.
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
