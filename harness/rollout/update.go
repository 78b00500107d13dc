package rollout

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// Update changes the pod template of a Deployment, as `kubectl apply` of the next manifest does.
func Update(old, new string) Strategy { return update{old, new} }

type update struct{ old, new string }

func (u update) Versions() (string, string) { return u.old, u.new }

func (u update) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	return Deploy(ctx, client, to.Namespace, app.Service(to, nodePort), app.Deployment(to, u.old))
}

func (u update) Deployed(s observe.State, app fixtures.App) bool {
	return s.Available(u.old) == int(app.Replicas) && !s.Leaving()
}

func (u update) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	return u.write(ctx, client, to, app, func(*appsv1.Deployment) {})
}

// write makes the one write of an update: the new template, and what more changes.
func (u update) write(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, more func(*appsv1.Deployment),
) error {
	next := app.Deployment(to, u.new)
	_, err := Edit(ctx, client.AppsV1().Deployments(to.Namespace), next.Name, func(live *appsv1.Deployment) {
		live.Labels, live.Spec.Template = next.Labels, next.Spec.Template
		more(live)
	})
	if err != nil {
		return fmt.Errorf("rollout: update %s: %w", next.Name, err)
	}
	return nil
}

func (u update) Settled(s observe.State, app fixtures.App) bool {
	d := s.Deployments[app.ResourceName()]
	return d != nil && d.Spec.Template.Labels[fixtures.VersionLabel] == u.new && Complete(d)
}

func (u update) Over(s observe.State, _ fixtures.App) bool { return Barrier(s, u.old) }

// UpdateWith is an update to a version whose template differs in more than the image.
func UpdateWith(old, new string, change func(*fixtures.App)) Strategy {
	return updateWith{update{old, new}, change}
}

type updateWith struct {
	update
	change func(*fixtures.App)
}

// IsCode marks strategies that hold a function: two of them may differ although they print the same.
func (updateWith) IsCode() {}

func (u updateWith) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	u.change(&app)
	return u.update.Begin(ctx, client, to, app)
}
