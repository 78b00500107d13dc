package disruption

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubectl/pkg/drain"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/poll"
)

// A Drain does what `kubectl drain` does to a node, with the pods of the app alone.
type Drain struct {
	Node string
	// Budget is the maxUnavailable of the app's PodDisruptionBudget; nil: there is none.
	Budget *intstr.IntOrString
	// EvictUnready allows the eviction of pods that are not ready, whatever the budget (AlwaysAllow).
	EvictUnready bool
	// Deletes deletes pods instead of evicting them, which bypasses the budget (--disable-eviction).
	Deletes bool
	// Timeout is how long the drain may take before it is given up, which is recorded as a fact; 0: after [drainTimeout] it fails.
	Timeout time.Duration
	// Then is done once the node is drained, before it is uncordoned; nil: nothing.
	Then Act
}

// evictEvery is kubectl's own pause between two tries to evict a pod that a budget protects.
const evictEvery = 5 * time.Second

// The fact that a drain records, and its values; BlockerFact says why a drain was given up.
const (
	DrainFact   = "drain"
	Drained     = "drained"
	NotDrained  = "given up"
	BlockerFact = "drain-blocked-by"
)

// Do cordons the node, drains it and uncordons it. The budget, if there is one, exists meanwhile.
func (d Drain) Do(ctx context.Context, s Stage) (err error) {
	if d.Budget != nil {
		if err := s.createBudget(ctx, d); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.deleteBudget(ctx)) }()
	}
	return s.drain(ctx, d)
}

func (s Stage) drain(ctx context.Context, d Drain) (err error) {
	node, err := s.any().Client().CoreV1().Nodes().Get(ctx, s.Node(d.Node), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if s.Attached != nil && node.Spec.Unschedulable {
		return fmt.Errorf("node %s is cordoned, perhaps by its owner, who may not want it to be uncordoned", node.Name)
	}
	var trouble strings.Builder
	helper := &drain.Helper{
		Ctx: ctx, Client: s.any().Client(), GracePeriodSeconds: -1, IgnoreAllDaemonSets: true, DeleteEmptyDirData: true,
		PodSelector: fixtures.NameLabel + "=" + s.App.ResourceName(), DisableEviction: d.Deletes, Timeout: cmp.Or(d.Timeout, drainTimeout),
		EvictErrorRetryDelay: evictEvery, Out: io.Discard, ErrOut: &trouble, AdditionalFilters: []drain.PodFilter{s.isOurs},
	}
	s.Step(d.Node, "cordon")
	if err := cordon(ctx, s.any().Client(), node.Name, s.Into.Run); err != nil {
		return err
	}
	defer func() {
		s.Step(d.Node, "uncordon")
		err = errors.Join(err, Uncordon(context.WithoutCancel(ctx), s.any().Client(), node.Name, s.Into.Run))
	}()
	s.Step(d.Node, "drain")
	if failed := drain.RunNodeDrain(helper, node.Name); failed != nil {
		if ctx.Err() != nil || d.Timeout == 0 {
			return fmt.Errorf("drain %s: %w: %s", d.Node, failed, command.LastLines(trouble.String(), 1))
		}
		s.Fact(DrainFact, NotDrained)
		s.Fact(BlockerFact, s.blocker(ctx))
	} else {
		s.Fact(DrainFact, Drained)
	}
	if d.Then != nil {
		return d.Then(ctx, s)
	}
	return nil
}

// isOurs skips pods of other namespaces with the app's name.
func (s Stage) isOurs(pod corev1.Pod) drain.PodDeleteStatus {
	if pod.Namespace != s.Namespace {
		return drain.MakePodDeleteStatusSkip()
	}
	return drain.MakePodDeleteStatusOkay()
}

// awaitOpen waits until nodes of an existing cluster are ready and not cordoned. A drain changes nothing else of them.
func (s Stage) awaitOpen(ctx context.Context, nodes []string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wholeTimeout, fmt.Errorf("not done after %v", wholeTimeout))
	defer cancel()
	for _, name := range nodes {
		if err := poll.Until(ctx, time.Second, func() (bool, error) {
			node, err := s.Attached.Client().CoreV1().Nodes().Get(ctx, s.Node(name), metav1.GetOptions{})
			return err == nil && cluster.NodeReady(*node) && !node.Spec.Unschedulable, err
		}); err != nil {
			return fmt.Errorf("node %s is not ready for pods: %w", s.Node(name), err)
		}
	}
	return nil
}

// BudgetOf returns a PodDisruptionBudget for the app with that maxUnavailable.
func (s Stage) BudgetOf(away intstr.IntOrString) *policyv1.PodDisruptionBudget {
	name := s.App.ResourceName()
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: s.Into.Object(name),
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &away,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{fixtures.NameLabel: name}}},
	}
}

func (s Stage) createBudget(ctx context.Context, d Drain) error {
	budget := s.BudgetOf(*d.Budget)
	if d.EvictUnready {
		budget.Spec.UnhealthyPodEvictionPolicy = new(policyv1.AlwaysAllow)
	}
	_, err := s.any().Client().PolicyV1().PodDisruptionBudgets(s.Namespace).Create(ctx, budget, metav1.CreateOptions{})
	return err
}

func (s Stage) deleteBudget(ctx context.Context) error {
	budgets := s.any().Client().PolicyV1().PodDisruptionBudgets(s.Namespace)
	err := budgets.Delete(context.WithoutCancel(ctx), s.App.ResourceName(), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// blocker says whether the budget kept a pod from being evicted.
func (s Stage) blocker(ctx context.Context) string {
	budget, err := s.any().Client().PolicyV1().PodDisruptionBudgets(s.Namespace).Get(ctx, s.App.ResourceName(), metav1.GetOptions{})
	if err != nil {
		return err.Error()
	}
	is := budget.Status
	if is.DisruptionsAllowed > 0 {
		return fmt.Sprintf("not by PodDisruptionBudget %s: it allows %d", budget.Name, is.DisruptionsAllowed)
	}
	return fmt.Sprintf("PodDisruptionBudget %s: %d of %d pods are healthy and %d have to be", budget.Name, is.CurrentHealthy, is.ExpectedPods,
		is.DesiredHealthy)
}
