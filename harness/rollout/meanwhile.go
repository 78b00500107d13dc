package rollout

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
)

// UpdateMeanwhile is an [Update] whose write is left to what is done to the cluster meanwhile, which makes it when its time has
// come.
func UpdateMeanwhile(old, new string) Strategy { return meanwhile{update{old, new}} }

type meanwhile struct{ update }

func (meanwhile) Begin(context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App) error {
	return nil
}

// Await returns when the API server says that the rollout of the app's Deployment is done. An API server that does not answer is
// asked again.
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
