package cluster

// What kubeadm calls kube-proxy's DaemonSet and ConfigMap, the key of its configuration, and the label of its pods.
const (
	ProxyName      = "kube-proxy"
	ProxyConfigKey = "config.conf"
	ProxySelector  = "k8s-app=kube-proxy"
)
