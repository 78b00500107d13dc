package upgrade

import (
	"bytes"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubectl "k8s.io/kubectl/pkg/drain"

	"rollcall/fixtures"
	"rollcall/harness/command"
	"rollcall/harness/disruption"
)

// A drain is what `kubectl drain` does to the app's pods on a node. Those of the recording stay: they have no controller, for which
// it would refuse, and what they tell of the node is wanted.
type drain struct {
	stage   disruption.Stage
	node    string
	deletes bool
}

// Times of drains: kubectl's own pause before it asks again for what a PodDisruptionBudget holds up, and the harness's limit.
const (
	evictAgainAfter = 5 * time.Second
	drainLimit      = 4 * time.Minute
	// rulesFollow is how long the rules of a node may still lead to pods that are gone: minSyncPeriod is 1 s. What is lost meanwhile
	// is lost by the drain, and by nothing that is done after it.
	rulesFollow = 5 * time.Second
)

// begin cordons the node, and returns when none of the app's pods is left on it and clients know.
func (d drain) begin(ctx context.Context) error {
	var said bytes.Buffer
	helper := kubectl.Helper{
		Ctx: ctx, Client: d.stage.Cluster.Client(), Out: &said, ErrOut: &said, GracePeriodSeconds: -1, IgnoreAllDaemonSets: true,
		DeleteEmptyDirData: true, DisableEviction: d.deletes, Timeout: drainLimit, EvictErrorRetryDelay: evictAgainAfter,
		PodSelector:       labels.SelectorFromSet(labels.Set{fixtures.NameLabel: d.stage.App.ResourceName()}).String(),
		AdditionalFilters: []kubectl.PodFilter{d.ours},
	}
	if err := d.cordon(ctx, true); err != nil {
		return err
	}
	if err := kubectl.RunNodeDrain(&helper, d.node); err != nil {
		return fmt.Errorf("%w: %s", err, command.LastLines(said.String(), 5))
	}
	disruption.Pause(ctx, rulesFollow)
	return context.Cause(ctx)
}

// end has the node take pods again. None comes back by itself.
func (d drain) end(ctx context.Context) error { return d.cordon(ctx, false) }

func (d drain) cordon(ctx context.Context, cordoned bool) error {
	return until(ctx, func(ctx context.Context) (string, error) {
		node, err := d.stage.Cluster.Client().CoreV1().Nodes().Get(ctx, d.node, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		helper := kubectl.Helper{Ctx: ctx, Client: d.stage.Cluster.Client()}
		return "", kubectl.RunCordonOrUncordon(&helper, node, cordoned)
	})
}

func (d drain) ours(pod corev1.Pod) kubectl.PodDeleteStatus {
	if pod.Namespace != d.stage.Namespace {
		return kubectl.MakePodDeleteStatusSkip()
	}
	return kubectl.MakePodDeleteStatusOkay()
}

// createBudget lets so many of the app's pods be away at a time. It goes with the namespace.
func createBudget(ctx context.Context, s disruption.Stage, budget intstr.IntOrString) error {
	_, err := s.Cluster.Client().PolicyV1().PodDisruptionBudgets(s.Namespace).Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: s.App.ResourceName(), Namespace: s.Namespace},
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &budget,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{fixtures.NameLabel: s.App.ResourceName()}}},
	}, metav1.CreateOptions{})
	return err
}
