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

// UpdateStatefulSet changes the pod template of a StatefulSet: each pod ends before the next of its name starts.
func UpdateStatefulSet(old, new string) Strategy { return updateStatefulSet{update{old, new}} }

type updateStatefulSet struct{ update }

func (u updateStatefulSet) Deploy(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App, nodePort int32) (*corev1.Service, error) {
	return create(ctx, client, app.Service(namespace, nodePort), func() error {
		_, err := client.AppsV1().StatefulSets(namespace).Create(ctx, app.StatefulSet(namespace, u.old), metav1.CreateOptions{})
		return err
	})
}

func (u updateStatefulSet) Begin(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App) error {
	sets := client.AppsV1().StatefulSets(namespace)
	next := app.StatefulSet(namespace, u.new)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live, err := sets.Get(ctx, next.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		live.Labels, live.Spec.Template = next.Labels, next.Spec.Template
		_, err = sets.Update(ctx, live, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("rollout: update StatefulSet %s: %w", next.Name, err)
	}
	return nil
}

func (u updateStatefulSet) Settled(s observe.State, app fixtures.App) bool {
	set := s.StatefulSets[app.StatefulSet("", u.new).Name]
	return set != nil && set.Spec.Template.Labels[fixtures.VersionLabel] == u.new && CompleteSet(set)
}
