package kube

// A Component is a program of Kubernetes that can be replaced on nodes by one of another version.
type Component string

// The components.
const (
	Kubelet           Component = "kubelet"
	KubeProxy         Component = "kube-proxy"
	ControllerManager Component = "kube-controller-manager"
)

// Components returns all of them.
func Components() []Component { return []Component{Kubelet, KubeProxy, ControllerManager} }
