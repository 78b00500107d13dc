package cluster

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/rollcall/harness/evidence"
)

// A Cluster is a Kubernetes cluster that scenarios run on, until Close.
type Cluster interface {
	Name() string       // unique among the clusters of a run
	Mode() string       // kube-proxy's, or what an attached cluster has instead
	Kubernetes() string // version, such as "v1.36.3"
	Client() kubernetes.Interface
	REST() *rest.Config

	// Nodes returns the names of all nodes on which we can run commands; none of an attached cluster.
	Nodes() []string
	// Workers returns the names of the nodes that carry load, sorted.
	Workers(ctx context.Context) ([]string, error)
	// NodeName returns the Kubernetes name of the node that scenarios call control-plane, worker or worker2.
	NodeName(name string) string
	// Boots returns the boot id of each node's kernel, by node name.
	Boots(ctx context.Context) (map[string]string, error)

	// Door returns the way from this host to Services.
	Door() Door
	// Forward opens a port-forward to a pod.
	Forward(ctx context.Context, namespace, pod string, port int) (*Forward, error)

	// Attached reports whether the cluster existed before the run, and stays after it.
	Attached() bool
	// Temporary reports whether the cluster is removed when it is closed.
	Temporary() bool
	// Features returns the features that not every cluster has, beside those of the host.
	Features() []evidence.Feature
	// CannotObserve returns why privileged pods may not observe the nodes' rules; empty when they may.
	CannotObserve() string
	// CannotListen returns why privileged pods may not record the connections that nodes route; empty when they may.
	CannotListen() string
	// Describe returns what the run folder records about the cluster.
	Describe(ctx context.Context) (evidence.Cluster, error)

	// LeaveCPUCgroup moves a load pod out of its CPU cgroup where its node is a container on this host, so that the app does not
	// slow its clients down. Elsewhere it does nothing.
	LeaveCPUCgroup(pod *corev1.Pod) error

	Close() error
}

// Names of nodes, for [Cluster.NodeName].
const (
	ControlPlane = "control-plane"
	Worker       = "worker"
	Worker2      = "worker2"
)

// A Changeable is a cluster of our own: we can run commands on its nodes.
type Changeable interface {
	Cluster
	// Exec runs a shell script on a node and returns what it prints.
	Exec(ctx context.Context, node, script string) (string, error)
	// WriteFile writes an executable file on a node.
	WriteFile(ctx context.Context, node, path string, content []byte) error
	// CopyFile copies a file of this host, which may be large, with its mode to a path on a node that is not below /run or /tmp.
	CopyFile(ctx context.Context, node, file, path string) error
	// LoadImage imports an image, as a docker archive, into a node.
	LoadImage(ctx context.Context, node string, archive []byte) error
	// Power freezes, thaws, stops, starts or reboots a node's machine. It does not wait until the node is ready.
	Power(ctx context.Context, node string, do Power) error
	// AwaitReady waits until nodes, kube-proxy and CoreDNS are ready and a pod on each worker reaches the API server's Service.
	AwaitReady(ctx context.Context) error
	// RestoreRoutes writes every node's routes to the pods of the others again: a node that booted may have another address.
	RestoreRoutes(ctx context.Context) error
	// Condemn marks the cluster as unusable, with the reason: no later run uses it, even if it was to be kept.
	Condemn(because string) error
	// Condemned returns the reason given to Condemn; empty if the cluster may be used.
	Condemned() string
	// ProxiesLeaveCPUCgroup moves kube-proxies that were restarted out of their CPU cgroups, as the creation of the cluster did.
	ProxiesLeaveCPUCgroup(ctx context.Context) error
	// Output returns the writer for the progress of changes that take long.
	Output() io.Writer
}

// A Power is an action of [Changeable.Power], named after the `docker` command for a node that is a container.
type Power string

// Actions of Power.
const (
	Freeze   Power = "pause"
	Thaw     Power = "unpause"
	PowerOff Power = "kill" // at once
	PowerOn  Power = "start"
	Reboot   Power = "restart" // its programs get SIGTERM, and SIGKILL 10 s later
)
