package rollout

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"rollcall/fixtures"
	"rollcall/harness/poll"
)

// DeleteAndApply deletes the Deployment and creates that of the next version as soon as the first is gone, as
// `kubectl delete` and `kubectl apply` do. The Service stays.
func DeleteAndApply(old, new string) Strategy { return deleteAndApply{update{old, new}} }

type deleteAndApply struct{ update }

func (d deleteAndApply) Begin(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App) error {
	deployments := client.AppsV1().Deployments(namespace)
	next := app.Deployment(namespace, d.new)
	// In the background, as kubectl does: the object is gone at once, and its pods are deleted after it.
	background := metav1.DeletePropagationBackground
	if err := deployments.Delete(ctx, next.Name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		return fmt.Errorf("rollout: delete %s: %w", next.Name, err)
	}
	err := poll.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		_, err := deployments.Get(ctx, next.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
	if err == nil {
		_, err = deployments.Create(ctx, next, metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("rollout: create %s anew: %w", next.Name, err)
	}
	return nil
}
