package disruption

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
)

// UnreadyDrained drains a node of a second app, which has one pod that is never ready and a budget of its own. The pod is evicted if the
// budget allows the eviction of unready pods; else it blocks the drain.
func UnreadyDrained(d Drain) Act {
	return func(ctx context.Context, s Stage) (err error) {
		beside := s
		beside.App = fixtures.App{Name: "unready", Replicas: 1, Nodes: []string{s.Node(d.Node)}, ReadyDelay: time.Hour}
		deployments := s.any().Client().AppsV1().Deployments(s.Namespace)
		if _, err := deployments.Create(ctx, beside.App.Deployment(s.Into, s.Old), metav1.CreateOptions{}); err != nil {
			return err
		}
		defer func() {
			err = errors.Join(err, deployments.Delete(context.WithoutCancel(ctx), beside.App.Name, metav1.DeleteOptions{}))
		}()
		if err := beside.awaitRunning(ctx); err != nil {
			return err
		}
		return d.Do(ctx, beside)
	}
}

func (s Stage) awaitRunning(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, scriptTimeout, fmt.Errorf("no pod of %s runs after %v", s.App.Name, scriptTimeout))
	defer cancel()
	return poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		pods, err := s.any().Client().CoreV1().Pods(s.Namespace).List(ctx,
			metav1.ListOptions{LabelSelector: fixtures.NameLabel + "=" + s.App.ResourceName()})
		return err == nil && len(pods.Items) == 1 && pods.Items[0].Status.Phase == corev1.PodRunning, err
	})
}
