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

// RestartThenUpdate replaces the pods of the old version so many times by others of it, as `kubectl rollout restart` does, each
// time when the API server says that the last time is done; then it is [Update]. A few pods end many times that way.
func RestartThenUpdate(old, new string, restarts int) Strategy {
	return restart{update{old, new}, restarts}
}

type restart struct {
	update
	restarts int
}

// Rollouts is how often every pod is replaced.
func (r restart) Rollouts() int { return r.restarts + 1 }

const (
	// restartAnnotation changes the pod template and nothing else; kubectl's holds a time in seconds, of which two may be the same.
	restartAnnotation = "rollcall.local/restart"
	// restartTimeout is the harness's own, as long as a recording gives to any rollout.
	restartTimeout = 5 * time.Minute
)

func (r restart) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	for n := range r.restarts {
		if err := Restart(ctx, client.AppsV1().Deployments(to.Namespace), app.ResourceName(), strconv.Itoa(n+1)); err != nil {
			return fmt.Errorf("rollout: restart %d of %d: %w", n+1, r.restarts, err)
		}
	}
	return r.update.Begin(ctx, client, to, app)
}

// Restart replaces the pods of a Deployment, by a stamp that they had not yet, and returns when the API server says that it is done.
func Restart(ctx context.Context, deployments Editable[*appsv1.Deployment], name, stamp string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("not done in %v", restartTimeout))
	defer cancel()
	_, err := Edit(ctx, deployments, name, func(live *appsv1.Deployment) {
		metav1.SetMetaDataAnnotation(&live.Spec.Template.ObjectMeta, restartAnnotation, stamp)
	})
	if err != nil {
		return err
	}
	return awaitComplete(ctx, deployments, name, Complete)
}

// awaitComplete returns when kubectl calls the rollout of an object done.
func awaitComplete[T any](ctx context.Context, objects Editable[T], name string, complete func(T) bool) error {
	return poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		live, err := objects.Get(ctx, name, metav1.GetOptions{})
		return err == nil && complete(live), err
	})
}
