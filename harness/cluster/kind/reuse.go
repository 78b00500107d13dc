package kind

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"rollcall/fixtures"
	"rollcall/harness/cluster/change"
	"rollcall/harness/disruption"
	"rollcall/harness/poll"
)

// reuse makes a kept cluster what a new one is: without what a killed run left in it.
func reuse(config *v1alpha4.Cluster) []Action {
	return []Action{
		{"start its nodes", startNodes},
		{"connect", connect},
		{"count the nodes", func(_ context.Context, c *Cluster) error {
			if len(c.nodes) != len(config.Nodes) {
				return fmt.Errorf("it has %d nodes", len(c.nodes))
			}
			return nil
		}},
		within(reuseTimeout, inOrder("clean",
			Action{"repair its nodes", func(ctx context.Context, c *Cluster) error { return disruption.Repair(ctx, c) }},
			// Without it no namespace ever goes.
			Action{"start the controller manager", func(ctx context.Context, c *Cluster) error { return change.StartControllerManager(ctx, c) }},
			Action{"delete namespaces", deleteNamespaces},
			Action{"raise the control plane's CPU shares", raiseControlPlaneShares},
			loadImages(),
			Action{"undo changes", undoChanges},
			becomeReady(),
			proxiesLeaveCPUCgroup(),
			Action{"ask for the version", identify},
		)),
	}
}

// deleteNamespaces deletes those of killed runs. Nobody else uses the cluster: we hold it.
func deleteNamespaces(ctx context.Context, c *Cluster) error {
	namespaces := c.Client().CoreV1().Namespaces()
	left, err := namespaces.List(ctx, fixtures.Ours())
	if err != nil {
		return err
	}
	for _, namespace := range left.Items {
		if err := namespaces.Delete(ctx, namespace.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return poll.Until(ctx, pollEvery, func() (bool, error) {
		left, err := namespaces.List(ctx, fixtures.Ours())
		return err == nil && len(left.Items) == 0, err
	})
}

func undoChanges(ctx context.Context, c *Cluster) error { return change.UndoAll(ctx, c) }

// A note is what a kept cluster's state folder says about it.
type note struct {
	Mode, Image, Config string
}

func (s Spec) note() (note, error) {
	config, err := s.readConfig()
	return note{s.Mode, s.Image, string(config)}, err
}

func noteFile(state string) string { return filepath.Join(state, "kept.json") }

func hasNote(state string) bool {
	_, err := os.Stat(noteFile(state))
	return err == nil
}

// kept reports whether the state folder notes a kept cluster, of this very spec.
func (s Spec) kept(state string) bool {
	data, err := os.ReadFile(noteFile(state))
	if err != nil {
		return false
	}
	var have note
	want, err := s.note()
	return err == nil && json.Unmarshal(data, &have) == nil && have == want
}

// keepIfAsked notes what the cluster is and sends its reaper away, if the spec asks to keep it.
func keepIfAsked(_ context.Context, c *Cluster) error {
	if !c.spec.Keep {
		return nil
	}
	n, err := c.spec.note()
	if err != nil {
		return err
	}
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.WriteFile(noteFile(c.state), data, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "cluster %s: kept; KUBECONFIG=%s\n", c.spec.Name, c.Kubeconfig())
	keeper := c.reaper
	c.reaper = nil
	return keeper.keep()
}
