package kind

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/sharedfile"
)

// An engine runs node containers, and kind. The real one is docker; tests have a fake.
type engine interface {
	// Clusters returns the names of all clusters that have a node on our network.
	Clusters(ctx context.Context) ([]string, error)
	// Containers returns the ids of a cluster's node containers: all, or only those on our network.
	Containers(ctx context.Context, cluster string, ours bool) ([]string, error)
	// Remove removes containers with their volumes.
	Remove(ctx context.Context, ids []string) error
	// Start starts containers that are stopped or paused.
	Start(ctx context.Context, ids []string) error
	// StartReaper starts a process that removes a cluster when its owner asks for it or dies.
	StartReaper(name, state string, held *sharedfile.Lock) (reaper, error)

	// Create has kind make a cluster and write its kubeconfig. It cannot be cancelled.
	Create(config *v1alpha4.Cluster, kubeconfig string) error
	// Kubeconfig returns a cluster's kubeconfig, even while kind is still making the cluster.
	Kubeconfig(cluster string) ([]byte, error)
	// Client returns a client of an API server.
	Client(config *rest.Config) (kubernetes.Interface, error)
	Nodes(cluster string) ([]node, error)
	CollectLogs(cluster, dir string) error
}

// A node is a container of the engine.
type node interface {
	String() string // its name, which is the Kubernetes node's too
	ControlPlane() (bool, error)
	Address(ipv6 bool) (string, error)
	// ContainerID returns the engine's id of the node's container.
	ContainerID(ctx context.Context) (string, error)
	// Published returns the address on this host at which a port of the node is published; empty if it is not.
	Published(ctx context.Context, port int) string
	// SetShares sets the node's CPU shares.
	SetShares(ctx context.Context, shares int) error
	// Power pauses, stops, starts or restarts the container.
	Power(ctx context.Context, do cluster.Power) error
	// Exec runs a shell script and returns what it prints.
	Exec(ctx context.Context, script, stdin string) (string, error)
	// CopyFile copies a file of this host into the node. The engine does not see what is mounted there, such as /run.
	CopyFile(ctx context.Context, file, path string) error
	// LoadImage imports a docker archive.
	LoadImage(archive []byte) error
}

// A reaper is a process that removes a cluster when its owner asks for it or dies.
type reaper interface {
	remove() error // the cluster, and wait for it
	keep() error   // the cluster: the reaper ends
}
