package rollout

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/kubernetes"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

// Undo rolls a Deployment back to the revision before, by the code of `kubectl rollout undo` (kubectl v0.37,
// pkg/polymorphichelpers/rollback.go). For a Deployment without an earlier revision it returns kubectl's error.
func Undo(client kubernetes.Interface, d *appsv1.Deployment) error { return UndoTo(client, d, 0) }

// UndoTo rolls a Deployment back to a revision, as `kubectl rollout undo --to-revision` does; 0 is the one before. If there is none it
// returns kubectl's error.
func UndoTo(client kubernetes.Interface, d *appsv1.Deployment, revision int64) error {
	back, err := polymorphichelpers.RollbackerFor(ofDeployments, client)
	if err != nil {
		return err
	}
	_, err = back.Rollback(d, nil, revision, cmdutil.DryRunNone)
	return err
}

// History returns what `kubectl rollout history` prints of a Deployment: a line for each revision, with its change-cause (kubectl v0.37,
// pkg/polymorphichelpers/history.go).
func History(client kubernetes.Interface, d *appsv1.Deployment) (string, error) {
	history, err := polymorphichelpers.HistoryViewerFor(ofDeployments, client)
	if err != nil {
		return "", err
	}
	return history.ViewHistory(d.Namespace, d.Name, 0)
}

var ofDeployments = appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind()
