package kind

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
)

// readConfig returns the text of the configuration file or, where there is none, of the built-in one.
func (s Spec) readConfig() ([]byte, error) {
	data, err := os.ReadFile(s.Config)
	if errors.Is(err, fs.ErrNotExist) && s.BuiltIn != nil {
		return s.BuiltIn, nil
	}
	return data, err
}

// loadConfig reads and checks a kind configuration, and sets the fields that the spec decides: name, mode and image.
func loadConfig(s Spec) (*v1alpha4.Cluster, error) {
	path := s.Config
	data, err := s.readConfig()
	if err != nil {
		return nil, usage.New(path, "cannot be read: "+err.Error(), "restore it from the repository")
	}
	var config v1alpha4.Cluster
	if err := usage.Strict(data, &config); err != nil {
		return nil, usage.New(path, strings.ReplaceAll(err.Error(), "\n", " "), "see kind's v1alpha4 configuration")
	}
	if config.Kind != "Cluster" || config.APIVersion != "kind.x-k8s.io/v1alpha4" {
		return nil, usage.New(path, fmt.Sprintf("kind %q of apiVersion %q", config.Kind, config.APIVersion),
			"write kind: Cluster, apiVersion: kind.x-k8s.io/v1alpha4")
	}
	families := []v1alpha4.ClusterIPFamily{"", v1alpha4.IPv4Family, v1alpha4.IPv6Family, v1alpha4.DualStackFamily}
	if family := config.Networking.IPFamily; !slices.Contains(families, family) {
		return nil, usage.New(path, fmt.Sprintf("networking.ipFamily is %q", family), "use ipv4, ipv6 or dual")
	}
	roles, mapped := map[v1alpha4.NodeRole]int{}, false
	for i, node := range config.Nodes {
		config.Nodes[i].Image = s.Image
		roles[node.Role]++
		for _, port := range node.ExtraPortMappings {
			mapped = mapped || int(port.ContainerPort) == s.NodePort
		}
		if node.Role != v1alpha4.WorkerRole && node.Role != v1alpha4.ControlPlaneRole {
			return nil, usage.New(path, fmt.Sprintf("nodes[%d].role is %q", i, node.Role), "use control-plane or worker")
		}
	}
	workers := roles[v1alpha4.WorkerRole]
	if roles[v1alpha4.ControlPlaneRole] == 0 {
		return nil, usage.New(path, "nodes: no control-plane", "give it one")
	}
	if !mapped {
		return nil, usage.New(path, fmt.Sprintf("nodes: no extraPortMappings entry has containerPort %d", s.NodePort),
			"add one on 127.0.0.1: it is the way of the client outside the cluster")
	}
	if workers < 2 {
		return nil, usage.New(path, fmt.Sprintf("nodes: %d workers", workers),
			"give it two or more: a ClusterIP client sees only its own node's kube-proxy")
	}
	config.Name = s.Name
	config.Networking.KubeProxyMode = kubeProxyMode(dataplane.Of(s.Mode))
	return &config, nil
}

// kubeProxyMode returns the mode in which kind installs kube-proxy; none if another program routes on the nodes.
func kubeProxyMode(p dataplane.Plane) v1alpha4.ProxyMode {
	if p.Proxy != dataplane.KubeProxy {
		return evidence.NoProxy
	}
	return v1alpha4.ProxyMode(p.Name)
}
