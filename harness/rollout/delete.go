package rollout

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
)

// DeleteAndApply deletes the Deployment and creates that of the next version as soon as the old one is gone, as
// `kubectl delete` and `kubectl apply` do. The Service stays.
func DeleteAndApply(old, new string) Strategy { return deleteAndApply{update: update{old, new}} }

// DeleteAndApplyAll does the same with a file that has the Service as well. The new Service has the old NodePort
// and another ClusterIP.
func DeleteAndApplyAll(old, new string) Strategy {
	return deleteAndApply{update: update{old, new}, service: true}
}

// inBackground returns the options of `kubectl delete`: the object is gone at once, and its pods are deleted after it.
func inBackground() metav1.DeleteOptions {
	return metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}
}

type deleteAndApply struct {
	update
	service bool
}

func (d deleteAndApply) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	services, deployments := client.CoreV1().Services(to.Namespace), client.AppsV1().Deployments(to.Namespace)
	next, service := app.Deployment(to, d.new), app.Service(to, 0)
	if d.service {
		live, err := services.Get(ctx, service.Name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("rollout: read Service %s: %w", service.Name, err)
		}
		service = app.Service(to, fixtures.HTTPPort(live).NodePort)
		if err := services.Delete(ctx, service.Name, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("rollout: delete Service %s: %w", service.Name, err)
		}
	}
	if err := deployments.Delete(ctx, next.Name, inBackground()); err != nil {
		return fmt.Errorf("rollout: delete %s: %w", next.Name, err)
	}
	err := poll.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		_, err := deployments.Get(ctx, next.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
	if err == nil && d.service {
		_, err = services.Create(ctx, service, metav1.CreateOptions{})
	}
	if err == nil {
		_, err = deployments.Create(ctx, next, metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("rollout: create %s anew: %w", next.Name, err)
	}
	return nil
}
