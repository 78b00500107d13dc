package staging

import (
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/usage"
)

// Cleanup deletes what runs left on the target that are over, and uncordons the nodes that they cordoned. It prints what it leaves, since
// a run may still need it; all takes that too.
func (t Target) Cleanup(ctx context.Context, out io.Writer, all bool) error {
	if !t.Named() {
		return usage.New("rollcall clean", "no cluster is named", "name it: --context=NAME; without options kind clusters are removed")
	}
	c, err := t.Connect(ctx, "")
	if err != nil {
		return err
	}
	return withDeadRuns(c.REST().Host, t.Preassigned(), func(dead map[string]bool) error {
		s := t.sweep(c, out, dead)
		switch s.Extent = namespace.Leftovers; {
		case all:
			s.Extent = namespace.Everything
			err = s.Run(ctx)
		case len(s.Preassigned) == 0:
			err = s.Run(ctx)
		default:
			err = t.sweepUnheld(ctx, c, s)
		}
		return errors.Join(err, uncordon(ctx, s))
	})
}

// sweepUnheld sweeps the preassigned namespaces that no run holds.
func (t Target) sweepUnheld(ctx context.Context, c *attached.Cluster, s namespace.Sweep) error {
	of := s
	for _, name := range s.Preassigned {
		hold, err := namespace.HoldAll(ctx, s.Client, []string{name}, 0, t.holder(c, fmt.Sprintf("clean-%d", c.Now().Unix()), s.Dead))
		if used := (*namespace.InUseError)(nil); errors.As(err, &used) {
			fmt.Fprintf(s.Out, "namespace %s: leaving it: %s; --all takes what is there too\n", name, used.By)
			continue
		}
		if err != nil {
			return err
		}
		of.Preassigned = []string{name}
		if err := errors.Join(of.Run(ctx), hold.Release(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// sweep returns a sweep of the target; its caller sets its extent.
func (t Target) sweep(c *attached.Cluster, out io.Writer, dead map[string]bool) namespace.Sweep {
	return namespace.Sweep{Cluster: c.Name(), Client: c.Client(), Out: out, Dead: dead, Preassigned: t.Preassigned(),
		Observers: c.CannotObserve() == "", Now: c.Now}
}

// uncordon uncordons the nodes that runs cordoned which are over.
func uncordon(ctx context.Context, s namespace.Sweep) error {
	nodes, err := s.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		by := disruption.CordonedBy(node)
		if by == (fixtures.Run{}) {
			continue
		}
		over, until := s.Over(by)
		if !over {
			fmt.Fprintf(s.Out, "%s: leaving node %s cordoned, as did run %s, which %s\n", s.Cluster, node.Name, by.ID, until)
			continue
		}
		fmt.Fprintf(s.Out, "%s: uncordoning node %s, which run %s cordoned, which %s\n", s.Cluster, node.Name, by.ID, until)
		err := disruption.Uncordon(ctx, s.Client, node.Name, by)
		if apierrors.IsForbidden(err) {
			err = usage.New("node "+node.Name, "missing permission to patch it",
				"bind the role of fixtures/staging/drains, or: kubectl uncordon "+node.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
