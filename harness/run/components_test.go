package run

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/testenv"
)

// TestComponents makes nodes of real clusters run components of other versions, and checks that afterwards everything is as before.
// `make components` runs it.
func TestComponents(t *testing.T) {
	testenv.Need(t, testenv.Components)
	onClusters(t, "components", func(ctx context.Context, t *testing.T, m *ModeRun) {
		c := m.cluster
		for _, program := range []struct {
			name    kube.Component
			version string
		}{
			{kube.Kubelet, "v1.35.3"}, {kube.KubeProxy, "v1.35.3"}, {kube.ControllerManager, oldManager},
		} {
			if _, err := provision.Component(ctx, t.Output(), program.name, program.version); err != nil { // before the times are measured
				t.Fatal(err)
			}
		}
		for _, one := range []cluster.Change{
			change.Component(kube.Kubelet, "v1.35.3"),
			change.Component(kube.KubeProxy, "v1.35.3"),
			change.Component(kube.ControllerManager, oldManager),
			change.Gate("MaxUnavailableStatefulSet", true),
		} {
			t.Run(one.String(), func(t *testing.T) { changesAndBack(ctx, t, c, one) })
		}
		unknown := change.Gate("NobodysGate", true)
		t.Run(unknown.String(), func(t *testing.T) { failsAndIsUndone(ctx, t, c, unknown) })
	})
}

// failsAndIsUndone makes a change with which a component does not start, and sees that the error has its last words and that the nodes
// are what they were.
func failsAndIsUndone(ctx context.Context, t *testing.T, c cluster.Cluster, one cluster.Change) {
	before := components(ctx, t, c)
	undo, err := cluster.Make(ctx, c, one)
	if err == nil || !strings.Contains(err.Error(), "unrecognized feature gate") {
		t.Errorf("want an error with the component's last words: %v", err)
	}
	t.Log(err)
	if undo == nil {
		t.Fatal("nothing undoes it")
	}
	if err := undo(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, components(ctx, t, c)); diff != "" {
		t.Errorf("the nodes are not what they were (-before +after):\n%s", diff)
	}
}

// oldManager is a controller manager that may run beside an API server of the default version.
const oldManager = "v1.36.4"

// changesAndBack makes a change and undoes it.
func changesAndBack(ctx context.Context, t *testing.T, c cluster.Cluster, one cluster.Change) {
	before := components(ctx, t, c)
	began := time.Now()
	undo, err := cluster.Make(ctx, c, one)
	made := time.Since(began)
	if err != nil {
		t.Error(err)
	}
	changed := components(ctx, t, c)
	if err == nil && cmp.Equal(before, changed) {
		t.Error("nothing is another")
	}
	if undo == nil {
		return
	}
	began = time.Now()
	if err := undo(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s took %.1f s, and %.1f s to undo; meanwhile:\n%s", one, made.Seconds(), time.Since(began).Seconds(), cmp.Diff(before, changed))
	if diff := cmp.Diff(before, components(ctx, t, c)); diff != "" {
		t.Errorf("the nodes are not what they were (-before +after):\n%s", diff)
	}
}

// components returns the versions that the processes of each node report, and the checksums of their files.
func components(ctx context.Context, t *testing.T, c cluster.Cluster) map[string]string {
	t.Helper()
	ours, err := cluster.Ours(c)
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string]string{}
	for _, node := range ours.Nodes() {
		said, err := ours.Exec(ctx, node, `for process in kubelet kube-proxy kube-controller; do
	for pid in $(pgrep --exact $process); do echo $process $(/proc/$pid/exe --version); done
done
sha256sum /usr/bin/kubelet* /var/lib/kubelet/config* /etc/kubernetes/manifests/* /opt/* 2>/dev/null || true
ls /etc/kubernetes`)
		if err != nil {
			t.Fatal(err)
		}
		nodes[node] = said
	}
	return nodes
}
