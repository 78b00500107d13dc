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
	if all {
		return t.sweep(ctx, c, out, namespace.Everything)
	}
	if len(t.Preassigned()) == 0 {
		return t.sweep(ctx, c, out, namespace.Leftovers)
	}
	for _, name := range t.Preassigned() {
		if err := t.cleanHeld(ctx, c, out, name); err != nil {
			return err
		}
	}
	return nil
}

// cleanHeld cleans a preassigned namespace, unless a run holds it.
func (t Target) cleanHeld(ctx context.Context, c *attached.Cluster, out io.Writer, name string) (err error) {
	t.Namespaces, t.Wait = name, "0s"
	hold, err := t.Hold(ctx, c, fmt.Sprintf("clean-%d", c.Now().Unix()), out, nil)
	if used := (*namespace.InUseError)(nil); errors.As(err, &used) {
		fmt.Fprintf(out, "namespace %s: leaving it: %s; --all takes what is there too\n", name, used.By)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(ctx)) }()
	return t.sweep(ctx, c, out, namespace.Leftovers)
}

func (t Target) sweep(ctx context.Context, c *attached.Cluster, out io.Writer, extent namespace.Extent) error {
	return withDeadRuns(c.REST().Host, t.Preassigned(), func(dead map[string]bool) error {
		s := namespace.Sweep{Cluster: c.Name(), Client: c.Client(), Out: out, Extent: extent, Dead: dead,
			Preassigned: t.Preassigned(), Observers: c.CannotObserve() == "", Now: c.Now}
		err := s.Run(ctx)
		if extent != namespace.BeforeRun {
			err = errors.Join(err, uncordon(ctx, s))
		}
		return err
	})
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
			err = usage.New("node "+node.Name, "missing permission to patch it", "bind the role of fixtures/staging/drains, or: kubectl uncordon "+node.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
