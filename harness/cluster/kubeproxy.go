package cluster

// kubeadm's names: of kube-proxy's DaemonSet and ConfigMap, of the ConfigMap's key with the configuration, and of its pods' label.
const (
	ProxyName      = "kube-proxy"
	ProxyConfigKey = "config.conf"
	ProxySelector  = "k8s-app=kube-proxy"
)

// ProxySynced is a shell command that succeeds on a node whose kube-proxy has written its rules: its reply names an IP family once
// that is synced. Its status is 200 from the start on and says nothing (pkg/proxy/healthcheck/proxy_health.go, v1.37).
const ProxySynced = `curl --silent --fail --max-time 1 http://localhost:10256/healthz | grep --quiet '"IPv[46]"'`
