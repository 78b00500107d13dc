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

// UpdateStatefulSet changes the pod template of a StatefulSet: each pod ends before the next of its name starts.
func UpdateStatefulSet(old, new string) Strategy { return updateStatefulSet{update{old, new}} }

type updateStatefulSet struct{ update }

func (u updateStatefulSet) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	return Deploy(ctx, client, to.Namespace, app.Service(to, nodePort), app.StatefulSet(to, u.old))
}

func (u updateStatefulSet) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	next := app.StatefulSet(to, u.new)
	_, err := Edit(ctx, client.AppsV1().StatefulSets(to.Namespace), next.Name, func(live *appsv1.StatefulSet) {
		live.Labels, live.Spec.Template = next.Labels, next.Spec.Template
	})
	if err != nil {
		return fmt.Errorf("rollout: update StatefulSet %s: %w", next.Name, err)
	}
	return nil
}

func (u updateStatefulSet) Settled(s observe.State, app fixtures.App) bool {
	set := s.StatefulSets[app.ResourceName()]
	return set != nil && set.Spec.Template.Labels[fixtures.VersionLabel] == u.new && Complete(set)
}
