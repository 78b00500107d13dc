package dataplane

import (
	"fmt"
	"time"
)

// KubeProxy is the program of every plane here. The names are kubeadm's, the metrics those of pkg/proxy/metrics/metrics.go, v1.35 to v1.37.
var KubeProxy = &Proxy{
	Name:     "kube-proxy",
	Selector: "k8s-app=kube-proxy",
	Address:  metricsServer,
	Detect:   func(get func(path string) (string, error)) (plane string, err error) { return get(modePath) },
	Runs: func(plane string) string {
		return fmt.Sprintf(`test "$(curl --silent --max-time 1 %s%s)" = %s`, metricsServer, modePath, plane)
	},
	// Its reply names an IP family once that is synced. Its status is 200 from the start on, whatever was written
	// (pkg/proxy/healthcheck/proxy_health.go, v1.37). Its pod has no probe, so whether that is ready does not show it either.
	Synced: "curl --silent --fail --max-time 1 " + healthServer + `/healthz | grep --quiet '"IPv[46]"'`,
	Changes: "curl --silent --fail --max-time 2 " + metricsServer + `/metrics |
grep '^kubeproxy_sync_proxy_rules_endpoint_changes_total'`,
	Metrics: "curl --silent --show-error --fail --max-time 5 " + metricsServer + "/metrics",
}

// kube-proxy's HTTP servers on its node, and the path at which the first one has its mode (pkg/cluster/ports/ports.go and
// cmd/kube-proxy/app/server.go, v1.37).
const (
	metricsServer = "http://localhost:10249"
	healthServer  = "http://localhost:10256"
	modePath      = "/proxyMode"
)

// ConfigKey is the key of kube-proxy's configuration in its ConfigMap, which has its name.
const ConfigKey = "config.conf"

// SyncPeriod is kube-proxy's syncPeriod by default, in every mode: how long it waits before it tries again to write rules that it could
// not write (pkg/proxy/apis/config/v1alpha1/defaults.go and NewProxier in pkg/proxy/iptables/proxier.go, v1.37).
const SyncPeriod = 30 * time.Second
