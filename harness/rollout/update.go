package rollout

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"rollcall/fixtures"
	"rollcall/harness/observe"
)

// Update changes the pod template of a Deployment, as `kubectl apply` of the next manifest does.
func Update(old, new string) Strategy { return update{old, new} }

type update struct{ old, new string }

func (u update) Versions() (string, string) { return u.old, u.new }

func (u update) Deploy(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App, nodePort int32) (*corev1.Service, error) {
	return create(ctx, client, app.Service(namespace, nodePort), func() error {
		_, err := client.AppsV1().Deployments(namespace).Create(ctx, app.Deployment(namespace, u.old), metav1.CreateOptions{})
		return err
	})
}

func (u update) Deployed(s observe.State, app fixtures.App) bool {
	return s.Available(u.old) == int(app.Replicas) && !s.Leaving()
}

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

func (u update) Over(s observe.State, _ fixtures.App) bool { return Barrier(s, u.old) }
