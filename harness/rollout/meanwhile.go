package rollout

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
)

// UpdateMeanwhile is an [Update] whose write is made by the scenario's disruption, at a time of its choice.
func UpdateMeanwhile(old, new string) Strategy { return meanwhile{update{old, new}} }

type meanwhile struct{ update }

func (meanwhile) Begin(context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App) error {
	return nil
}

// Await waits until the API server says that the rollout of the app's Deployment is done. It asks again if the API server does not
// answer.
func Await(ctx context.Context, client kubernetes.Interface, namespace string, app fixtures.App) error {
	err := poll.Until(ctx, time.Second, func() (bool, error) {
		live, err := client.AppsV1().Deployments(namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{})
		return err == nil && Complete(live), nil
	})
	if err != nil {
		return fmt.Errorf("rollout: await %s: %w", app.ResourceName(), err)
	}
	return nil
}
