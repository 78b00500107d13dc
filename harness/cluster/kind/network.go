package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"rollcall/harness/poll"
)

// conflist is the pod network of one node: a veth pair per pod with an address from the node's
// spec.podCIDR, and hostPort support. Between nodes plain routes do.
const conflist = `{
  "cniVersion": "0.4.0",
  "name": "rollcall",
  "plugins": [
    {"type": "ptp", "ipMasq": false, "ipam": {"type": "host-local", "dataDir": "/run/cni-ipam",
      "ranges": [[{"subnet": "%s"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
`

// installNetwork gives every node its conflist as soon as it has a spec.podCIDR and a kube-proxy
// that has written its rules, and, when all have, the routes to the others. A pod that starts
// before those rules sends its first packets to a Service into the void, and waits 30 s for an
// answer: CoreDNS did. It runs while kind still joins nodes, and ends with ctx.
func (c *Cluster) installNetwork(ctx context.Context, client kubernetes.Interface, count int) error {
	var group errgroup.Group
	have := map[string]corev1.Node{}
	err := poll.Until(ctx, pollEvery, func() (bool, error) {
		list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, nil // the API server is still coming up
		}
		for _, node := range list.Items {
			if _, seen := have[node.Name]; !seen && node.Spec.PodCIDR != "" {
				have[node.Name] = node
				group.Go(func() error { return writeConflist(ctx, c.spec.Name, node) })
			}
		}
		return len(have) == count, nil
	})
	for _, node := range have {
		group.Go(func() error { return writeRoutes(ctx, c.spec.Name, node, have) })
	}
	return errors.Join(err, group.Wait())
}

// earlyClient speaks to the API server while kind is still busy, as soon as it has credentials.
func earlyClient(ctx context.Context, cluster string) (kubernetes.Interface, error) {
	var kubeconfig string
	// Seldom, because each look costs kubeadm processor time.
	err := poll.Until(ctx, time.Second, func() (bool, error) {
		var notYet error
		kubeconfig, notYet = provider().KubeConfig(cluster, false)
		return notYet == nil, nil
	})
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(kubeconfig))
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// writeConflist waits inside the node for its kube-proxy, which is healthy from its first sync on,
// and then writes the node's network configuration.
func writeConflist(ctx context.Context, cluster string, node corev1.Node) error {
	const script = `until curl --silent --fail --output /dev/null --max-time 1 http://127.0.0.1:10256/healthz; do sleep 0.2; done
cat >/etc/cni/net.d/.rollcall && mv /etc/cni/net.d/.rollcall /etc/cni/net.d/10-rollcall.conflist`
	if _, err := inNode(ctx, cluster, node.Name, script, fmt.Sprintf(conflist, node.Spec.PodCIDR)); err != nil {
		return fmt.Errorf("network of %s: %w", node.Name, err)
	}
	return nil
}

func writeRoutes(ctx context.Context, cluster string, node corev1.Node, all map[string]corev1.Node) error {
	var script strings.Builder
	for _, other := range all {
		if other.Name != node.Name {
			fmt.Fprintf(&script, "ip route replace %s via %s && ", other.Spec.PodCIDR, internalIP(other))
		}
	}
	if _, err := inNode(ctx, cluster, node.Name, script.String()+"true", ""); err != nil {
		return fmt.Errorf("routes of %s: %w", node.Name, err)
	}
	return nil
}

func internalIP(node corev1.Node) string {
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			return address.Address
		}
	}
	return ""
}

// Exec runs a shell script in a node's container and returns what it prints.
func (c *Cluster) Exec(ctx context.Context, node, script string) (string, error) {
	return inNode(ctx, c.spec.Name, node, script, "")
}

// LoadImage imports a docker archive into a node's containerd.
func (c *Cluster) LoadImage(_ context.Context, node string, archive []byte) error {
	n, err := find(c.spec.Name, node)
	if err != nil {
		return err
	}
	return nodeutils.LoadImageArchive(n, bytes.NewReader(archive))
}

func find(cluster, node string) (nodes.Node, error) {
	all, err := provider().ListInternalNodes(cluster)
	if err != nil {
		return nil, err
	}
	for _, n := range all {
		if n.String() == node {
			return n, nil
		}
	}
	return nil, errors.New("its container is gone")
}

// inNode runs a shell script in a node's container.
func inNode(ctx context.Context, cluster, node, script, stdin string) (string, error) {
	n, err := find(cluster, node)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = n.CommandContext(ctx, "sh", "-c", script).SetStdin(strings.NewReader(stdin)).SetStdout(&out).Run()
	return strings.TrimSpace(out.String()), err
}
