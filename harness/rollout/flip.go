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

// Flip has both versions stand side by side, ready, and changes which of them the Service selects: blue/green. The
// pods of the old one stay.
func Flip(old, new string) Strategy { return flip{old, new} }

type flip struct{ old, new string }

func (f flip) Versions() (string, string) { return f.old, f.new }

func (f flip) Deploy(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App, nodePort int32) (*corev1.Service, error) {
	service := app.Service(namespace, nodePort)
	service.Spec.Selector[fixtures.VersionLabel] = f.old
	return create(ctx, client, service, standalone(ctx, client, namespace, app, f.old, app.Replicas), standalone(ctx, client, namespace, app, f.new, app.Replicas))
}

func (f flip) Deployed(s observe.State, app fixtures.App) bool {
	n := int(app.Replicas)
	return s.Available(f.old) == n && s.Available(f.new) == n && !s.Leaving()
}

func (f flip) Begin(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App) error {
	services := client.CoreV1().Services(namespace)
	name := app.Service(namespace, 0).Name
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live, err := services.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		live.Spec.Selector[fixtures.VersionLabel] = f.new
		_, err = services.Update(ctx, live, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("rollout: flip Service %s: %w", name, err)
	}
	return nil
}

// Settled is when the endpoints are the new version's: there is no rollout for the API server to speak of.
func (f flip) Settled(s observe.State, app fixtures.App) bool {
	s.Rules = nil
	return f.Over(s, app)
}

func (f flip) Over(s observe.State, app fixtures.App) bool {
	return !s.Reaches(f.old) && s.ReachesEverywhere(f.new, int(app.Replicas))
}

func standalone(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App, version string, replicas int32) func() error {
	return func() error {
		_, err := client.AppsV1().Deployments(namespace).Create(ctx, app.Standalone(namespace, version, replicas), metav1.CreateOptions{})
		return err
	}
}
