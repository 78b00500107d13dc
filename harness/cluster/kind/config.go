package kind

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"rollcall/harness/command"
	"rollcall/harness/document"
	"rollcall/harness/usage"
)

// loadConfig reads a kind configuration strictly and sets what belongs to the run: name, mode and image.
func loadConfig(s Spec) (*v1alpha4.Cluster, error) {
	path := s.Config
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, usage.New(path, "cannot be read: "+err.Error(), "restore it from the repository")
	}
	var config v1alpha4.Cluster
	if err := document.Strict(data, &config); err != nil {
		return nil, usage.New(path, strings.ReplaceAll(err.Error(), "\n", " "), "see kind's v1alpha4 configuration")
	}
	if config.Kind != "Cluster" || config.APIVersion != "kind.x-k8s.io/v1alpha4" {
		return nil, usage.New(path, fmt.Sprintf("kind %q of apiVersion %q", config.Kind, config.APIVersion), "write kind: Cluster, apiVersion: kind.x-k8s.io/v1alpha4")
	}
	roles, mapped := map[v1alpha4.NodeRole]int{}, false
	for i, node := range config.Nodes {
		config.Nodes[i].Image = s.Image
		roles[node.Role]++
		mapped = mapped || slices.ContainsFunc(node.ExtraPortMappings, func(p v1alpha4.PortMapping) bool { return int(p.ContainerPort) == s.NodePort })
		if node.Role != v1alpha4.WorkerRole && node.Role != v1alpha4.ControlPlaneRole {
			return nil, usage.New(path, fmt.Sprintf("nodes[%d].role is %q", i, node.Role), "use control-plane or worker")
		}
	}
	workers := roles[v1alpha4.WorkerRole]
	if roles[v1alpha4.ControlPlaneRole] == 0 {
		return nil, usage.New(path, "nodes: no control-plane", "give it one")
	}
	if !mapped {
		return nil, usage.New(path, fmt.Sprintf("nodes: no extraPortMappings entry has containerPort %d", s.NodePort), "add one on 127.0.0.1: it is the way of the client outside the cluster")
	}
	if workers < 2 {
		return nil, usage.New(path, fmt.Sprintf("nodes: %d workers", workers), "give it two or more: a ClusterIP client sees only its own node's kube-proxy")
	}
	config.Name = s.Name
	config.Networking.KubeProxyMode = v1alpha4.ProxyMode(s.Mode)
	return &config, nil
}

// CheckConfig refuses a configuration that no cluster of the spec can be made from. It looks at
// nothing else.
func CheckConfig(s Spec) error {
	_, err := loadConfig(s)
	return err
}

// Check refuses what would keep a cluster from being created: taken host ports, or a cluster of
// the name that is not ours.
func Check(ctx context.Context, s Spec) error {
	config, err := loadConfig(s)
	if err != nil {
		return err
	}
	if err := checkForeign(ctx, s.Name); err != nil {
		return err
	}
	ours, err := containers(ctx, s.Name, true)
	if err != nil || len(ours) > 0 { // a cluster of ours holds the ports itself
		return err
	}
	return checkPorts(s.Config, config)
}

// checkPorts refuses fixed host ports that are taken.
func checkPorts(path string, config *v1alpha4.Cluster) error {
	if err := checkPort(path+": networking.apiServerPort", config.Networking.APIServerAddress, config.Networking.APIServerPort); err != nil {
		return err
	}
	for i, node := range config.Nodes {
		for j, port := range node.ExtraPortMappings {
			field := fmt.Sprintf("%s: nodes[%d].extraPortMappings[%d].hostPort", path, i, j)
			if err := checkPort(field, port.ListenAddress, port.HostPort); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkPort(field, address string, port int32) error {
	if port <= 0 {
		return nil
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(int(port))))
	if err != nil {
		return usage.New(fmt.Sprintf("%s %d", field, port), "the port is taken", "choose another, or 0 for any free one")
	}
	return listener.Close()
}

// checkForeign refuses a name under which kind already runs nodes that are not ours.
func checkForeign(ctx context.Context, name string) error {
	all, err := containers(ctx, name, false)
	if err != nil {
		return err
	}
	ours, err := containers(ctx, name, true)
	if err != nil {
		return err
	}
	if len(all) > len(ours) {
		return usage.New("cluster "+name, "a kind cluster of this name exists that Rollcall did not make", "delete it with `kind delete cluster --name "+name+"` if nobody needs it")
	}
	// The engine is everybody's, locks and state are a user's own.
	if state, _, err := places(name); err != nil {
		return err
	} else if _, err := os.Stat(state); err != nil && len(ours) > 0 {
		return usage.New("cluster "+name, "another user's Rollcall made it", "wait for its end; if it was left behind, run: docker rm --force --volumes "+strings.Join(shorten(ours), " "))
	}
	return nil
}

func shorten(ids []string) []string {
	short := make([]string, len(ids))
	for i, id := range ids {
		short[i] = id[:12]
	}
	return short
}

// containers lists the ids of the node containers of a cluster, or of every cluster where name is empty.
func containers(ctx context.Context, name string, ours bool) ([]string, error) {
	line := "docker ps --all --quiet --no-trunc --filter label=" + clusterLabel
	if name != "" {
		line += "=" + name
	}
	if ours {
		line += " --filter network=" + Network
	}
	out, err := command.Run(ctx, "%s", line)
	if err != nil {
		return nil, fmt.Errorf("cluster: list node containers: %w", err)
	}
	return strings.Fields(out), nil
}
