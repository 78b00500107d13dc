package attached

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"example.com/rollcall/harness/cluster"
)

// Names of nodes may be long.
func TestPrintSummary(t *testing.T) {
	kubeProxy, none := Proxy{"iptables", "ConfigMap kube-proxy"}, Proxy{"none", "no pod of kube-proxy runs there"}
	for _, row := range []struct {
		sentence string
		version  string
		last     Proxy
		lines    []string
	}{
		{"one service proxy on all nodes", "v1.37.2", kubeProxy, []string{
			"  nodes                 3",
			"  carry load            ip-10-0-0-1.eu-central-1.compute.internal",
			"                        ip-10-0-0-2.eu-central-1.compute.internal",
			"  service proxy         iptables: ConfigMap kube-proxy",
			"  nodes' rules          not observed: privileged pods were not allowed: --allow=node-rules",
		}},
		{"a release of before those that are supported", "v1.30.5", kubeProxy, []string{
			"  Kubernetes            v1.30.5",
			"                        older than v1.35, the oldest that is supported: claims that need a newer one are skipped",
		}},
		{"another on one of them", "v1.37.2", none, []string{
			"  service proxy         none: no pod of kube-proxy runs there",
			"                        ip-10-0-0-3.eu-central-1.compute.internal",
		}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			c := &Cluster{API: cluster.NewAPI(&rest.Config{Host: "https://eks.example.com"}, nil), name: "shop", kubernetes: row.version,
				proxies: map[string]Proxy{}}
			for i, proxy := range []Proxy{kubeProxy, kubeProxy, row.last} {
				name := fmt.Sprintf("ip-10-0-0-%d.eu-central-1.compute.internal", i+1)
				c.proxies[name], c.loadNodes = proxy, append(c.loadNodes, name)
			}
			var out strings.Builder
			c.PrintSummary(&out)
			if !strings.Contains(out.String(), strings.Join(row.lines[:2], "\n")) {
				t.Errorf("%q is not in\n%s", row.lines[:2], &out)
			}
			for _, line := range row.lines {
				if !strings.Contains(out.String(), line+"\n") {
					t.Errorf("%q is not in\n%s", line, &out)
				}
			}
			for line := range strings.Lines(out.String()) {
				if len(strings.TrimSpace(line)) > 120 {
					t.Errorf("%d columns: %s", len(line), line)
				}
			}
		})
	}
}
