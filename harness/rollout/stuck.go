package rollout

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
)

// Stuck is an update to a version that never becomes available. It ends when the API server says that there was no progress. If reasons
// are given, Begin first waits until a container of a new pod waits for one of them, or a new pod is not scheduled for one.
func Stuck(old, new string, change func(*fixtures.App), reasons ...string) Strategy {
	return stuck{updateWith{update{old, new}, change}, reasons}
}

type stuck struct {
	updateWith
	reasons []string
}

// StuckAfter and the minReadySeconds together are the progress deadline of the rollout.
const StuckAfter = 5 * time.Second

func (u stuck) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	u.change(&app)
	err := u.write(ctx, client, to, app, func(live *appsv1.Deployment) {
		live.Spec.ProgressDeadlineSeconds = new(live.Spec.MinReadySeconds + int32(StuckAfter/time.Second))
	})
	if err != nil || len(u.reasons) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("rollout: no pod of %s has a reason of %v", u.new, u.reasons))
	defer cancel()
	return poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		pods, err := client.CoreV1().Pods(to.Namespace).List(ctx, metav1.ListOptions{LabelSelector: fixtures.VersionLabel + "=" + u.new})
		return err == nil && slices.ContainsFunc(pods.Items, u.explains), err
	})
}

// explains reports whether a pod has one of the reasons.
func (u stuck) explains(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.State.Waiting != nil && slices.Contains(u.reasons, c.State.Waiting.Reason)
	}) || slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && slices.Contains(u.reasons, c.Reason)
	})
}

func (u stuck) Settled(s observe.State, app fixtures.App) bool {
	d := s.Deployments[app.ResourceName()]
	return d != nil && d.Spec.Template.Labels[fixtures.VersionLabel] == u.new &&
		slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool { return c.Reason == "ProgressDeadlineExceeded" })
}

// Over reports whether no endpoint and no rule leads to the new version. Old pods stay, if there are any.
func (u stuck) Over(s observe.State, _ fixtures.App) bool {
	return !s.Leaving() && s.ReachesEverywhere(u.new, 0)
}
