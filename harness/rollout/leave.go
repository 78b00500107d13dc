package rollout

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// ScaledIn scales the Deployment down to stay pods, as `kubectl scale` does. There is no new version; it has a name only so that the
// pods of the other one count as old.
func ScaledIn(version string, stay int) Strategy { return scaledIn{update{version, "none"}, stay} }

type scaledIn struct {
	update
	stay int
}

func (l scaledIn) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	_, err := client.AppsV1().Deployments(to.Namespace).UpdateScale(ctx, app.ResourceName(), &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: to.Namespace, Name: app.ResourceName()},
		Spec:       autoscalingv1.ScaleSpec{Replicas: int32(l.stay)},
	}, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("rollout: scale %s: %w", app.ResourceName(), err)
	}
	return nil
}

func (l scaledIn) Settled(s observe.State, app fixtures.App) bool {
	return s.Available(l.old) == l.stay
}

func (l scaledIn) Over(s observe.State, app fixtures.App) bool {
	return s.Count(l.old) == l.stay && s.ReachesEverywhere(l.old, l.stay)
}

// Deleted deletes the Deployment, as `kubectl delete` does, and creates nothing.
func Deleted(version string) Strategy { return deleted{update: update{version, "none"}} }

// DeletedWithService deletes the Service and then the Deployment, as `kubectl delete` does with a file that has both in this order.
func DeletedWithService(version string) Strategy {
	return deleted{update: update{version, "none"}, service: true}
}

type deleted struct {
	update
	service bool
}

func (d deleted) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	if d.service {
		if err := client.CoreV1().Services(to.Namespace).Delete(ctx, app.ResourceName(), metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("rollout: delete Service %s: %w", app.ResourceName(), err)
		}
	}
	if err := client.AppsV1().Deployments(to.Namespace).Delete(ctx, app.ResourceName(), inBackground()); err != nil {
		return fmt.Errorf("rollout: delete %s: %w", app.ResourceName(), err)
	}
	return nil
}

func (d deleted) Settled(s observe.State, app fixtures.App) bool { return s.Available(d.old) == 0 }
