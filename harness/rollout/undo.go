package rollout

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/kubernetes"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

// Undo rolls a Deployment back to the revision before, by the code of `kubectl rollout undo` (kubectl v0.37,
// pkg/polymorphichelpers/rollback.go). For a Deployment without an earlier revision it returns kubectl's error.
func Undo(client kubernetes.Interface, d *appsv1.Deployment) error {
	back, err := polymorphichelpers.RollbackerFor(appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind(), client)
	if err != nil {
		return err
	}
	_, err = back.Rollback(d, nil, 0, cmdutil.DryRunNone)
	return err
}
