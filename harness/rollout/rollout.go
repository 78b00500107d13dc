// Package rollout holds the ways an app can be brought from one version to the next.
package rollout

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"rollcall/fixtures"
	"rollcall/harness/observe"
)

// A Strategy brings an app from one version to another.
type Strategy interface {
	// Versions are the app's version before and after.
	Versions() (old, new string)
	// Begin makes the write that starts the rollout.
	Begin(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App) error
	// Settled reports whether the API server says that the rollout is done.
	Settled(observe.State, fixtures.App) bool
}

// Update changes the pod template of a Deployment, as `kubectl apply` of the next manifest does.
func Update(old, new string) Strategy { return update{old, new} }

type update struct{ old, new string }

func (u update) Versions() (string, string) { return u.old, u.new }

func (u update) Begin(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App) error {
	deployments := client.AppsV1().Deployments(namespace)
	next := app.Deployment(namespace, u.new)
	// The controller writes annotations and status of its own in between.
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live, err := deployments.Get(ctx, next.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		live.Labels, live.Spec.Template = next.Labels, next.Spec.Template
		_, err = deployments.Update(ctx, live, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("rollout: update %s: %w", next.Name, err)
	}
	return nil
}

func (u update) Settled(s observe.State, app fixtures.App) bool {
	d := s.Deployments[app.Deployment("", u.new).Name]
	return d != nil && d.Spec.Template.Labels[fixtures.VersionLabel] == u.new && Complete(d)
}

// Complete reports whether `kubectl rollout status` would say "successfully rolled out": the
// controller has seen the spec, every replica is of the new template and available, and no old one
// is left that is not already terminating (kubectl v0.36,
// pkg/polymorphichelpers/rollout_status.go, DeploymentStatusViewer.Status). Terminating pods do not count.
func Complete(d *appsv1.Deployment) bool {
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded" {
			return false
		}
	}
	s := d.Status
	return s.ObservedGeneration >= d.Generation && s.UpdatedReplicas >= wanted &&
		s.Replicas <= s.UpdatedReplicas && s.AvailableReplicas >= s.UpdatedReplicas
}
