package disruption

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/poll"
)

// repair undoes on a node what a run that was killed may have left: stopped programs, tables of Rollcall's own that drop packets or lead
// them elsewhere, moved manifests.
var repair = "for program in " + proxies() + ` kubelet kube-controller kube-scheduler kube-apiserver etcd containerd; do
	pkill -CONT -x $program || true
done
nft list tables | while read -r _ family name; do
	case $name in rollcall-*) nft delete table $family $name ;; esac
done
for parked in /etc/kubernetes/*.parked.yaml; do
	if [ -e "$parked" ]; then name=${parked##*/}; mv "$parked" "/etc/kubernetes/manifests/${name%.parked.yaml}.yaml"; fi
done
systemctl start containerd kubelet`

// proxies returns the names of the programs of all data planes, separated by spaces.
func proxies() string {
	var names []string
	for _, p := range dataplane.Proxies() {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// Repair undoes on every node what is left of any disruption. It does not wait until the cluster is whole.
func Repair(ctx context.Context, c cluster.Machines) error {
	for _, node := range c.Nodes() {
		if _, err := c.Exec(ctx, node, repair); err != nil {
			return fmt.Errorf("repair %s: %w", node, err)
		}
	}
	return nil
}

// AwaitWhole waits until the cluster is as it was when it was created. The error says what it lacks when the limit is over.
func AwaitWhole(ctx context.Context, c cluster.Changeable, limit time.Duration) error {
	limit = cmp.Or(limit, wholeTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not whole after %v", limit))
	defer cancel()
	missing := ""
	restarted := map[string]bool{}
	err := poll.Until(ctx, time.Second, func() (bool, error) {
		if missing = Lacks(ctx, c); missing == "" {
			return true, nil
		}
		if strings.HasSuffix(missing, lackingRoutes) {
			return false, c.RestoreRoutes(ctx)
		}
		return false, endBackOff(ctx, c, restarted)
	})
	if err == nil {
		err = c.AwaitReady(ctx)
	}
	if err == nil {
		return c.ProxiesLeaveCPUCgroup(ctx) // for those that were restarted
	}
	if missing != "" {
		err = errors.Join(err, errors.New(missing))
	}
	return err
}

// endBackOff restarts each kubelet, once, that is in a back-off before it starts a program of the control plane again, which several
// disruptions in a row cause. A new kubelet has no back-off.
func endBackOff(ctx context.Context, c cluster.Changeable, done map[string]bool) error {
	pods, err := c.Client().CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil // the API server may be what is missing
	}
	for _, pod := range pods.Items {
		for _, status := range pod.Status.ContainerStatuses {
			waits := status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff"
			if node := pod.Spec.NodeName; waits && !done[node] {
				done[node] = true
				if _, err := c.Exec(ctx, node, "systemctl restart kubelet"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Lacks says what a cluster lacks to be whole; empty: nothing.
func Lacks(ctx context.Context, c cluster.Changeable) string {
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	for _, node := range nodes.Items {
		if lack := lacksNode(ctx, c, node, nodes.Items); lack != "" {
			return lack
		}
	}
	pods, err := c.Client().CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	for _, pod := range pods.Items {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status != corev1.ConditionTrue {
				return "pod " + pod.Name + " is not ready"
			}
		}
	}
	for _, leader := range []string{"kube-controller-manager", "kube-scheduler"} {
		if lack := lacksLeader(ctx, c, leader); lack != "" {
			return lack
		}
	}
	return ""
}

// leaseRenewed is how long ago a leader that lives may have renewed its lease: it does so every 2 s, and has to within 10 s
// (component-base, config/v1alpha1/defaults.go, v1.37).
const leaseRenewed = 10 * time.Second

func lacksLeader(ctx context.Context, c cluster.APIServer, name string) string {
	lease, err := c.Client().CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, name, metav1.GetOptions{})
	switch {
	case err != nil:
		return err.Error()
	case lease.Spec.RenewTime == nil || time.Since(lease.Spec.RenewTime.Time) > leaseRenewed:
		return name + " has no leader"
	}
	return ""
}

// nodeCheck returns a script that prints what a node lacks, of what the API does not show; empty output: nothing.
func nodeCheck(node string, all []corev1.Node, plane dataplane.Plane) string {
	proxy := plane.Proxy
	return routeCheck(node, all) + `
nft list tables | grep -q ' rollcall-' && { echo 'packet rules without a table of Rollcall'; exit; }
` + proxy.Synced + " || { echo 'a " + proxy.Name + ` that wrote its rules'; exit; }
` + proxy.Runs(plane.Name) + ` || { echo "` + proxy.Name + `'s mode of before"; exit; }
`
}

// lackingRoutes is what a node lacks that does not route to the pods of another.
const lackingRoutes = "routes to the pods of other nodes"

// routeCheck returns a script that checks whether a node has routes to the pods of the others, which Rollcall writes, not the CNI plugin.
func routeCheck(node string, all []corev1.Node) string {
	var script strings.Builder
	for _, other := range all {
		for _, route := range cluster.RoutesTo(other) {
			if other.Name != node {
				fmt.Fprintf(&script, "{ ip route; ip -6 route; } | grep -q '^%s via %s dev eth0' || { echo '%s'; exit; }\n", route.PodCIDR,
					route.Via, lackingRoutes)
			}
		}
	}
	return script.String()
}

func lacksNode(ctx context.Context, c cluster.Changeable, node corev1.Node, nodes []corev1.Node) string {
	switch {
	case !cluster.NodeReady(node):
		return "node " + node.Name + " is not ready"
	case node.Spec.Unschedulable:
		return "node " + node.Name + " is cordoned"
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key != "node-role.kubernetes.io/control-plane" {
			return fmt.Sprintf("node %s has taint %s", node.Name, taint.Key)
		}
	}
	lacks, err := c.Exec(ctx, node.Name, nodeCheck(node.Name, nodes, c.Plane()))
	switch {
	case err != nil:
		return fmt.Sprintf("node %s does not run commands: %v", node.Name, err)
	case lacks != "":
		return fmt.Sprintf("node %s lacks %s", node.Name, lacks)
	}
	return ""
}
