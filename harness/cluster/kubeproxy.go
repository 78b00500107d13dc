package cluster

// What kubeadm calls kube-proxy's DaemonSet and ConfigMap, the key of its configuration, and the label of its pods.
const (
	ProxyName      = "kube-proxy"
	ProxyConfigKey = "config.conf"
	ProxySelector  = "k8s-app=kube-proxy"
)

// ProxySynced is a command that succeeds on a node whose kube-proxy has written its rules: it names a family of addresses once it has
// synced it. That it answers 200 says nothing: it does so from its start on (pkg/proxy/healthcheck/proxy_health.go, v1.37).
const ProxySynced = `curl --silent --fail --max-time 1 http://localhost:10256/healthz | grep --quiet '"IPv[46]"'`
