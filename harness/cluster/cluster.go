package cluster

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/rollcall/harness/evidence"
)

// A Cluster is one that scenarios run on, until Close.
type Cluster interface {
	Name() string       // unique among the clusters of a run
	Mode() string       // kube-proxy's, or what an attached cluster has instead
	Kubernetes() string // version, such as "v1.36.3"
	Client() kubernetes.Interface
	REST() *rest.Config

	// Nodes are the names of all nodes that run commands for us; none of an attached cluster.
	Nodes() []string
	// Workers are the names of the nodes that carry load, in order.
	Workers(ctx context.Context) ([]string, error)
	// NodeName is the whole name of a node that scenarios call control-plane, worker or worker2.
	NodeName(name string) string
	// Boots maps every node's name to the id of the boot of the kernel it runs on.
	Boots(ctx context.Context) (map[string]string, error)

	// Door is how Services are reached from this host.
	Door() Door
	// Forward opens a port-forward to a pod.
	Forward(ctx context.Context, namespace, pod string, port int) (*Forward, error)

	// Attached reports whether the cluster was there before the run, which leaves it there.
	Attached() bool
	// Temporary reports whether the cluster is removed when it is closed.
	Temporary() bool
	// Features are those that the cluster may lack, beside what its host has.
	Features() []evidence.Feature
	// CannotObserve says why privileged pods may not observe the nodes' rules; empty when they may.
	CannotObserve() string
	// CannotListen says why they may not listen to which connections nodes route; empty when they may.
	CannotListen() string
	// Describe says what the cluster is, as the run folder has it.
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

// A Changeable cluster is our own: its nodes run commands for us.
type Changeable interface {
	Cluster
	// Exec runs a shell script on a node and returns what it prints.
	Exec(ctx context.Context, node, script string) (string, error)
	// WriteFile writes a file on a node, which may be run.
	WriteFile(ctx context.Context, node, path string, content []byte) error
	// CopyFile copies a file of this host, which may be large, to a node, with its mode. The path is not below /run or /tmp.
	CopyFile(ctx context.Context, node, file, path string) error
	// LoadImage gives a node an image, from a docker archive.
	LoadImage(ctx context.Context, node string, archive []byte) error
	// Power does something to a node's machine. Where that starts it, it may take a while until it is ready.
	Power(ctx context.Context, node string, do Power) error
	// AwaitReady returns when nodes, kube-proxy and CoreDNS are ready and a pod on each worker reaches the API server's Service.
	AwaitReady(ctx context.Context) error
	// RestoreRoutes has every node route to the pods of the others again: a node that booted may have another address.
	RestoreRoutes(ctx context.Context) error
	// Condemn has nobody use the cluster any more, for that reason: it is removed, even if it was to be kept.
	Condemn(because string) error
	// Condemned is why nobody is to use it any more; empty: anybody may.
	Condemned() string
	// ProxiesLeaveCPUCgroup repeats, for kube-proxies that started anew, what was done when the cluster was made.
	ProxiesLeaveCPUCgroup(ctx context.Context) error
	// Output is for the progress of what takes long.
	Output() io.Writer
}

// Power is what can be done to a node's machine: for one that is a container, what `docker` does by that name.
type Power string

// What can be done to a node's machine.
const (
	Freeze   Power = "pause"
	Thaw     Power = "unpause"
	PowerOff Power = "kill" // at once
	PowerOn  Power = "start"
	Reboot   Power = "restart" // its programs get SIGTERM, and SIGKILL 10 s later
)
