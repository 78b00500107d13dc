package change

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/poll"
)

// Paths on a node: its kubelet, and the kubelet of its image while another is in its place.
const (
	kubeletFile  = "/usr/bin/kubelet"
	stockKubelet = "/usr/bin/kubelet.stock"
)

// restartKubelet restarts a kubelet without the state files of its CPU and memory managers, which another version may refuse to
// read; the managers have no policy, so nothing is lost. Containers run on meanwhile.
const restartKubelet = `rm -f /var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state
systemctl restart kubelet`

// kubeletErrors prints the last error line of a kubelet's log, or else its last lines. After a panic the last lines are only a stack.
const kubeletErrors = `errors=$(journalctl --unit kubelet --lines 500 --output cat |
	grep --extended-regexp '^(E[0-9]{4} |panic: )' | tail -1)
[ -z "$errors" ] && journalctl --unit kubelet --lines 3 --output cat || echo "$errors"`

// RestartKubelet restarts the kubelet of a node, and waits until that kubelet reports the node as ready.
func RestartKubelet(ctx context.Context, c cluster.Changeable, node string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, componentTimeout, fmt.Errorf("not running after %v", componentTimeout))
	defer cancel()
	if err := restartKubeletAfter(ctx, c, node, ""); err != nil {
		return fmt.Errorf("cluster: restart the kubelet: %w", err)
	}
	return nil
}

// restartKubeletAfter runs a script on a node and restarts its kubelet, and waits until that kubelet reports the node as ready.
func restartKubeletAfter(ctx context.Context, c cluster.Changeable, node, script string) error {
	began := time.Now()
	if _, err := c.Exec(ctx, node, "set -e\n"+script+"\n"+restartKubelet); err != nil {
		return err
	}
	return awaitKubelet(ctx, c, node, began)
}

// replaceKubelets has nodes run a program as their kubelet. A running program cannot be overwritten, but another file can be moved to
// its path.
func replaceKubelets(ctx context.Context, c cluster.Changeable, program []byte, nodes []string) error {
	return onNodes(ctx, nodes, func(ctx context.Context, node string) error {
		if err := c.WriteFile(ctx, node, kubeletFile+".new", program); err != nil {
			return err
		}
		return restartKubeletAfter(ctx, c, node, fmt.Sprintf("[ -e %[2]s ] || ln %[1]s %[2]s\nmv %[1]s.new %[1]s", kubeletFile, stockKubelet))
	})
}

// awaitKubelet waits until the kubelet that runs on a node has reported the node as ready since began.
func awaitKubelet(ctx context.Context, c cluster.Changeable, node string, began time.Time) error {
	var last string
	err := poll.Until(ctx, pollEvery, func() (bool, error) {
		is, err := c.Client().CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			last = err.Error()
			return false, nil
		}
		last = "kubelet " + is.Status.NodeInfo.KubeletVersion
		if is.Status.NodeInfo.KubeletVersion != runningVersion(ctx, c, node, kube.Kubelet) {
			return false, nil
		}
		for _, condition := range is.Status.Conditions {
			if condition.Type == corev1.NodeReady {
				last += ", ready " + string(condition.Status)
				// The API truncates the time of a heartbeat to whole seconds.
				return condition.Status == corev1.ConditionTrue && condition.LastHeartbeatTime.After(began.Add(-time.Second)), nil
			}
		}
		return false, nil
	})
	if err != nil {
		said, _ := c.Exec(context.WithoutCancel(ctx), node, kubeletErrors)
		return fmt.Errorf("node %s: %s: %w; its kubelet said last: %s", node, last, err, said)
	}
	return nil
}

// restoreKubelets has every node run the kubelet of its image again, if it runs another.
func restoreKubelets(ctx context.Context, c cluster.Changeable) error {
	return onNodes(ctx, c.Nodes(), func(ctx context.Context, node string) error {
		restored, err := c.Exec(ctx, node, fmt.Sprintf("[ ! -e %[1]s ] || { mv %[1]s %[2]s && echo yes; }", stockKubelet, kubeletFile))
		if err != nil || restored == "" {
			return err
		}
		return restartKubeletAfter(ctx, c, node, "")
	})
}
