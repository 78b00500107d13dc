package rollout

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
)

// Undone is an update that is undone midway, as by `kubectl rollout undo`: it ends with the old version.
func Undone(old, new string) Strategy { return undone{update{old, new}} }

type undone struct{ update }

func (u undone) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	if err := u.update.Begin(ctx, client, to, app); err != nil {
		return err
	}
	live, err := midway(ctx, client, to.Namespace, app)
	if err != nil {
		return err
	}
	return Undo(client, live)
}

func (u undone) Settled(s observe.State, app fixtures.App) bool {
	return update{u.new, u.old}.Settled(s, app)
}

func (u undone) Over(s observe.State, app fixtures.App) bool {
	return Barrier(s, u.new) && s.ReachesEverywhere(u.old, int(app.Replicas))
}

// Overtaken restarts the old version, and midway updates it to the new one: three ReplicaSets have pods.
func Overtaken(old, new string) Strategy { return overtaken{update{old, new}} }

type overtaken struct{ update }

func (o overtaken) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	_, err := Edit(ctx, client.AppsV1().Deployments(to.Namespace), app.ResourceName(), func(live *appsv1.Deployment) {
		metav1.SetMetaDataAnnotation(&live.Spec.Template.ObjectMeta, restartAnnotation, "overtaken")
	})
	if err != nil {
		return fmt.Errorf("rollout: restart %s: %w", app.ResourceName(), err)
	}
	if _, err := midway(ctx, client, to.Namespace, app); err != nil {
		return err
	}
	return o.update.Begin(ctx, client, to, app)
}

// Paused is an update that is paused midway for d, and then resumed. It fails if no old pod is left by then.
func Paused(old, new string, d time.Duration) Strategy { return paused{update{old, new}, d} }

type paused struct {
	update
	pause time.Duration
}

func (p paused) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	if err := p.update.Begin(ctx, client, to, app); err != nil {
		return err
	}
	if _, err := midway(ctx, client, to.Namespace, app); err != nil {
		return err
	}
	deployments := client.AppsV1().Deployments(to.Namespace)
	pause := func(is bool) error {
		_, err := Edit(ctx, deployments, app.ResourceName(), func(live *appsv1.Deployment) { live.Spec.Paused = is })
		return err
	}
	if err := pause(true); err != nil {
		return fmt.Errorf("rollout: pause %s: %w", app.ResourceName(), err)
	}
	if poll.Pause(ctx, p.pause); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch live, err := deployments.Get(ctx, app.ResourceName(), metav1.GetOptions{}); {
	case err != nil:
		return err
	case live.Status.UpdatedReplicas >= app.Replicas:
		return fmt.Errorf("rollout: no old pod was left when %s was to be resumed", app.ResourceName())
	}
	return pause(false)
}

// midway waits until the Deployment has created its third new pod, and returns the Deployment. With a maxSurge of 1 and a maxUnavailable
// of 0 the first two are available then, and two old pods are terminating. It fails if the last new pod has been created already.
func midway(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App) (live *appsv1.Deployment, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("rollout: not midway in %v", restartTimeout))
	defer cancel()
	err = poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		live, err = client.AppsV1().Deployments(namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{})
		switch {
		case err != nil || live.Status.ObservedGeneration < live.Generation:
			return false, err
		case live.Status.UpdatedReplicas >= app.Replicas:
			return false, fmt.Errorf("rollout: %s is no longer midway", app.ResourceName())
		}
		return live.Status.UpdatedReplicas >= 3, nil
	})
	return live, err
}
