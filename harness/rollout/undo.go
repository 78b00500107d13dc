package rollout

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/kubernetes"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

// Undo goes back to the revision before as `kubectl rollout undo` does, by kubectl's own code (kubectl v0.37,
// pkg/polymorphichelpers/rollback.go). The error of a Deployment without an earlier revision is what kubectl says.
func Undo(client kubernetes.Interface, d *appsv1.Deployment) error {
	back, err := polymorphichelpers.RollbackerFor(appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind(), client)
	if err != nil {
		return err
	}
	_, err = back.Rollback(d, nil, 0, cmdutil.DryRunNone)
	return err
}
