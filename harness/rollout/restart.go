package rollout

import (
	"context"
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
)

// RestartThenUpdate restarts the pods of the old version a number of times, as `kubectl rollout restart` does, each time after the API
// server says that the time before is done, and then does what [Update] does. It makes many terminations of few pods.
func RestartThenUpdate(old, new string, restarts int) Strategy {
	return restart{update{old, new}, restarts}
}

type restart struct {
	update
	restarts int
}

// Rollouts returns how often every pod is replaced.
func (r restart) Rollouts() int { return r.restarts + 1 }

// restartAnnotation changes the pod template and nothing else. That of kubectl has a time in seconds, which may repeat.
const restartAnnotation = "rollcall.local/restart"

func (r restart) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	for n := range r.restarts {
		if err := Restart(ctx, client.AppsV1().Deployments(to.Namespace), app.ResourceName(), strconv.Itoa(n+1)); err != nil {
			return fmt.Errorf("rollout: restart %d of %d: %w", n+1, r.restarts, err)
		}
	}
	return r.update.Begin(ctx, client, to, app)
}

// Restart replaces the pods of a Deployment, by an annotation whose value, stamp, has to be new, and waits until the API server says that
// the rollout is done.
func Restart(ctx context.Context, deployments Editable[*appsv1.Deployment], name, stamp string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("not done in %v", restartTimeout))
	defer cancel()
	_, err := Edit(ctx, deployments, name, func(live *appsv1.Deployment) {
		metav1.SetMetaDataAnnotation(&live.Spec.Template.ObjectMeta, restartAnnotation, stamp)
	})
	if err != nil {
		return err
	}
	return awaitComplete(ctx, deployments, name)
}

// awaitComplete waits until kubectl calls the rollout of an object done.
func awaitComplete[T Workload](ctx context.Context, objects Editable[T], name string) error {
	return poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		live, err := objects.Get(ctx, name, metav1.GetOptions{})
		return err == nil && Complete(live), err
	})
}
