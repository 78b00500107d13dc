package cluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/rollcall/harness/evidence"
)

// A Cluster is a Kubernetes cluster that scenarios run on, until Close. It has four parts: who needs only one of them takes that.
type Cluster interface {
	APIServer
	Identity
	Topology
	Capabilities
	Close() error
}

// An APIServer is reached by clients. [API] implements it.
type APIServer interface {
	Client() kubernetes.Interface
	REST() *rest.Config
	// Forward opens a port-forward to a pod.
	Forward(ctx context.Context, namespace, pod string, port int) (*Forward, error)
}

// An Identity is which cluster it is, and whose.
type Identity interface {
	Name() string       // unique among the clusters of a run
	Mode() string       // its data plane, or what an attached cluster has instead
	Kubernetes() string // version, such as "v1.36.3"
	// Attached reports whether the cluster existed before the run, and stays after it.
	Attached() bool
	// Temporary reports whether the cluster is removed when it is closed.
	Temporary() bool
	// Describe returns what the run folder records about the cluster.
	Describe(ctx context.Context) (evidence.Cluster, error)
}

// A Topology is on which nodes pods run.
type Topology interface {
	// Workers returns the names of the nodes that carry load, sorted.
	Workers(ctx context.Context) ([]string, error)
	// NodeName returns the Kubernetes name of the node that scenarios call control-plane, worker or worker2.
	NodeName(name string) string
	// Boots returns the boot id of each node's kernel, by node name.
	Boots(ctx context.Context) (map[string]string, error)
	// LeaveCPUCgroup moves a load pod out of its CPU cgroup where its node is a container on this host, so that the app does not
	// slow its clients down. Elsewhere it does nothing.
	LeaveCPUCgroup(pod *corev1.Pod) error
}

// Capabilities are what a cluster lets scenarios use.
type Capabilities interface {
	// Door returns the way from this host to Services.
	Door() Door
	// Features returns the features that not every cluster has, beside those of the host.
	Features() []evidence.Feature
	// CannotObserve returns why privileged pods may not observe the nodes' rules; empty when they may.
	CannotObserve() string
	// CannotListen returns why privileged pods may not record the connections that nodes route; empty when they may.
	CannotListen() string
}

// Names of nodes, for [Topology.NodeName].
const (
	ControlPlane = "control-plane"
	Worker       = "worker"
	Worker2      = "worker2"
)
