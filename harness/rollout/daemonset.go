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

// UpdateDaemonSet changes the pod template of a DaemonSet. The app's Replicas have to be the number of workers, one pod for each.
func UpdateDaemonSet(old, new string) Strategy { return updateDaemonSet{update{old, new}} }

type updateDaemonSet struct{ update }

func (u updateDaemonSet) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	return Deploy(ctx, client, to.Namespace, app.Service(to, nodePort), app.DaemonSet(to, u.old))
}

// Begin waits until `kubectl rollout status` says that the rollout is done, because DaemonSets are not watched.
func (u updateDaemonSet) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	next, sets := app.DaemonSet(to, u.new), client.AppsV1().DaemonSets(to.Namespace)
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("not done in %v", restartTimeout))
	defer cancel()
	_, err := Edit(ctx, sets, next.Name, func(live *appsv1.DaemonSet) {
		live.Labels, live.Spec.Template = next.Labels, next.Spec.Template
	})
	if err == nil {
		err = awaitComplete(ctx, sets, next.Name)
	}
	if err != nil {
		return fmt.Errorf("rollout: update DaemonSet %s: %w", next.Name, err)
	}
	return nil
}

func (u updateDaemonSet) Settled(s observe.State, app fixtures.App) bool {
	return s.Available(u.new) == int(app.Replicas)
}
