package kind

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/usage"
)

const (
	head   = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"
	mapped = "- role: control-plane\n  extraPortMappings: [{containerPort: 30080}]\n"
)

func TestLoadConfig(t *testing.T) {
	for _, tc := range []struct {
		sentence, text, names string
	}{
		{"an unknown field is named", head + "nodes:\n- role: worker\n  imagee: x\n", `unknown field "nodes[0].imagee"`},
		{"a value of the wrong type is named by its field", head + "networking:\n  apiServerPort: yes please\n", "networking.apiServerPort"},
		{"another kind is not a cluster", "kind: Pod\napiVersion: v1\n", `kind "Pod"`},
		{"an unknown IP family is named", head + "networking:\n  ipFamily: ipv7\n", `networking.ipFamily is "ipv7"`},
		{"one worker cannot show what a second node sees", head + "nodes:\n" + mapped + "- role: worker\n", "nodes: 1 workers"},
		{"an unknown role is named by its field", head + "nodes:\n" + mapped + "- role: helper\n", "nodes[1].role"},
		{"without a control plane there is no cluster", head + "nodes:\n- role: worker\n- role: worker\n", "no control-plane"},
		{"without the port mapping clients outside cannot connect",
			head + "nodes:\n- role: control-plane\n- role: worker\n- role: worker\n", "containerPort 30080"},
		{"no YAML at all", "{", "yaml"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kind-config.yaml")
			if err := os.WriteFile(path, []byte(tc.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := loadConfig(Spec{Config: path, NodePort: 30080})
			if !usage.Is(err) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q, want a refusal in one line", err)
			}
			if !strings.Contains(err.Error(), tc.names) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %q, want one with the file and %q", err, tc.names)
			}
		})
	}
}

func TestLoadConfigSetsOnlyNameModeAndImage(t *testing.T) {
	path := filepath.Join("..", "..", "..", "kind-config.yaml")
	got, err := loadConfig(Spec{Config: path, NodePort: 30080, Name: "n", Mode: "nftables", Image: "i"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want v1alpha4.Cluster
	if err := yaml.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	want.Name, want.Networking.KubeProxyMode = "n", "nftables"
	for i := range want.Nodes {
		want.Nodes[i].Image = "i"
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
}

// Another plane's proxy is installed in place of kube-proxy.
func TestKubeProxyModeOfAPlaneOfAnotherProxy(t *testing.T) {
	if mode := kubeProxyMode(dataplane.Plane{Name: "relay", Proxy: &dataplane.Proxy{Name: "relayd"}}); mode != "none" {
		t.Errorf("kind installs kube-proxy in mode %s", mode)
	}
}

func TestCheckPorts(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	taken := int32(listener.Addr().(*net.TCPAddr).Port)
	config := func(port int32) *v1alpha4.Cluster {
		mapping := v1alpha4.PortMapping{HostPort: port, ListenAddress: "127.0.0.1"}
		return &v1alpha4.Cluster{Nodes: []v1alpha4.Node{{ExtraPortMappings: []v1alpha4.PortMapping{mapping}}}}
	}
	if err := checkPorts("f", config(0)); err != nil {
		t.Errorf("a free choice is refused: %v", err)
	}
	if err := checkPorts("f", config(taken)); !usage.Is(err) || !strings.Contains(err.Error(), strconv.Itoa(int(taken))) {
		t.Errorf("error %v, want a refusal that names port %d", err, taken)
	}
}
