package cluster

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
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

// A networked node has joined and was given a range of pod addresses.
type networked struct{ name, podCIDR, address string }

// pollEvery paces looks at a cluster that is coming up.
const pollEvery = 200 * time.Millisecond

// installNetwork gives every node its conflist as soon as it has a spec.podCIDR, and, when all
// have, the routes to the others. It runs while kind still joins nodes, and ends with ctx.
func installNetwork(ctx context.Context, cluster string, count int) error {
	have := map[string]networked{}
	for len(have) < count {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pollEvery):
		}
		all, err := provider().ListInternalNodes(cluster)
		if err != nil {
			continue // kind is still making the containers
		}
		for _, n := range joined(all) {
			if _, done := have[n.name]; done {
				continue
			}
			if err := nodeutils.WriteFile(named(all, n.name), "/etc/cni/net.d/10-rollcall.conflist", fmt.Sprintf(conflist, n.podCIDR)); err != nil {
				return fmt.Errorf("network of %s: %w", n.name, err)
			}
			have[n.name] = n
		}
	}
	all, err := provider().ListInternalNodes(cluster)
	if err != nil {
		return err
	}
	for _, from := range have {
		var script strings.Builder
		for _, to := range have {
			if to != from {
				fmt.Fprintf(&script, "ip route replace %s via %s && ", to.podCIDR, to.address)
			}
		}
		script.WriteString("true")
		if err := named(all, from.name).CommandContext(ctx, "sh", "-c", script.String()).Run(); err != nil {
			return fmt.Errorf("routes of %s: %w", from.name, err)
		}
	}
	return nil
}

// joined asks the API server, inside the control plane's container, which nodes have a pod range.
// Until it answers there are none.
func joined(all []nodes.Node) []networked {
	control, err := nodeutils.BootstrapControlPlaneNode(all)
	if err != nil {
		return nil
	}
	var out bytes.Buffer
	err = control.Command("kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "nodes", "--output",
		`jsonpath={range .items[*]}{.metadata.name} {.spec.podCIDR} {.status.addresses[?(@.type=="InternalIP")].address}{"\n"}{end}`).
		SetStdout(&out).Run()
	if err != nil {
		return nil
	}
	var list []networked
	for line := range strings.Lines(out.String()) {
		if fields := strings.Fields(line); len(fields) >= 3 {
			list = append(list, networked{fields[0], fields[1], fields[2]})
		}
	}
	return list
}

func named(all []nodes.Node, name string) nodes.Node {
	for _, n := range all {
		if n.String() == name {
			return n
		}
	}
	return nil
}
