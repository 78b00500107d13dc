package kind

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/usage"
)

// reuseSteps returns the steps that bring a kept cluster into the state of a new one, without what a killed run left in it.
func (c *Cluster) reuseSteps(config *v1alpha4.Cluster) []step {
	return []step{
		{"start its nodes", c.startNodes},
		{"connect", c.connect},
		{"count the nodes", func(context.Context) error {
			if len(c.nodes) != len(config.Nodes) {
				return fmt.Errorf("it has %d nodes", len(c.nodes))
			}
			return nil
		}},
		withTimeout(reuseTimeout, inOrder("clean",
			// That starts a controller manager that is stopped, too, without which no namespace is ever deleted.
			step{"repair its nodes", func(ctx context.Context) error { return disruption.Repair(ctx, c) }},
			step{"delete namespaces", c.deleteNamespaces},
			step{"uncordon its nodes", c.uncordonNodes},
			step{"raise the control plane's CPU shares", c.raiseControlPlaneShares},
			step{"load images", c.loadImages},
			step{"undo changes", func(ctx context.Context) error { return change.UndoAll(ctx, c) }},
			c.readyStep(),
			step{"move proxies to the root CPU cgroup", c.ProxiesLeaveCPUCgroup},
			step{"ask for the version", c.readVersion},
		)),
	}
}

// deleteNamespaces deletes the namespaces of killed runs. No other run uses the cluster, because we hold its lock.
func (c *Cluster) deleteNamespaces(ctx context.Context) error {
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

// uncordonNodes lets pods onto the nodes that killed runs drained.
func (c *Cluster) uncordonNodes(ctx context.Context) error {
	for _, node := range c.Nodes() {
		open := []byte(`{"spec":{"unschedulable":null}}`)
		if _, err := c.Client().CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, open, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// note returns the text of the file in a kept cluster's state folder that says which spec it has.
func (s Spec) note() ([]byte, error) {
	config, err := s.readConfig()
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct{ Mode, Image, Config string }{s.Mode, s.Image, string(config)})
}

func noteFile(state string) string { return filepath.Join(state, "kept.json") }

func hasNote(state string) bool {
	_, err := os.Stat(noteFile(state))
	return err == nil
}

// checkKept returns an error if the cluster of the spec would replace a kept one, which somebody may want to look at.
func checkKept(ctx context.Context, e engine, s Spec) error {
	state, _, err := paths(s.Name)
	if err != nil {
		return err
	}
	note, err := os.Stat(noteFile(state))
	if err != nil || s.Keep && s.kept(state) {
		return nil
	}
	ours, err := e.Containers(ctx, s.Name, true)
	if err != nil || len(ours) == 0 {
		return err
	}
	what := "it is kept since " + note.ModTime().UTC().Format(time.DateTime) + " UTC, and this run would replace it"
	if s.Keep {
		return usage.New("cluster "+s.Name, what+" by one of another spec", "remove kept clusters with `rollcall clean`")
	}
	return usage.New("cluster "+s.Name, what, "use it with --keep, or remove kept clusters with `rollcall clean`")
}

// kept reports whether the state folder is that of a kept cluster of exactly this spec.
func (s Spec) kept(state string) bool {
	have, err := os.ReadFile(noteFile(state))
	if err != nil {
		return false
	}
	want, err := s.note()
	return err == nil && bytes.Equal(have, want)
}

// keepIfWanted writes the note and ends the reaper, if the spec asks to keep the cluster.
func (c *Cluster) keepIfWanted(context.Context) error {
	if !c.spec.Keep {
		return nil
	}
	note, err := c.spec.note()
	if err != nil {
		return err
	}
	if err := os.WriteFile(noteFile(c.state), note, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "cluster %s: kept; KUBECONFIG=%s\n", c.spec.Name, c.Kubeconfig())
	keeper := c.reaper
	c.reaper = nil
	return keeper.keep()
}
