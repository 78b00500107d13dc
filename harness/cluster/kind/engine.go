package kind

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/sharedfile"
)

// An engine runs the containers that are nodes, and kind in them.
type engine interface {
	// Clusters are the names of all clusters that have a node on our network.
	Clusters(ctx context.Context) ([]string, error)
	// Containers are the ids of a cluster's node containers, all or only those on our network.
	Containers(ctx context.Context, cluster string, ours bool) ([]string, error)
	// Remove removes containers with their volumes.
	Remove(ctx context.Context, ids []string) error
	// Start starts containers that are off or frozen.
	Start(ctx context.Context, ids []string) error
	// StartReaper starts what removes a cluster when its owner asks or dies.
	StartReaper(name, state string, held *sharedfile.Lock) (reaper, error)

	// Create has kind make a cluster and write its kubeconfig. It cannot be cancelled.
	Create(config *v1alpha4.Cluster, kubeconfig string) error
	// Kubeconfig is that of a cluster which kind may still be making.
	Kubeconfig(cluster string) ([]byte, error)
	// Client speaks to an API server.
	Client(config *rest.Config) (kubernetes.Interface, error)
	Nodes(cluster string) ([]node, error)
	CollectLogs(cluster, dir string) error
}

// A node is a container of the engine.
type node interface {
	String() string // its name, which is the Kubernetes node's too
	ControlPlane() (bool, error)
	Address(ipv6 bool) (string, error)
	// ContainerID is that of the engine.
	ContainerID(ctx context.Context) (string, error)
	// Published is where a port of the node is found on this host; empty if nowhere.
	Published(ctx context.Context, port int) string
	// SetShares says how much of the host's processors the node gets when there is not enough for all.
	SetShares(ctx context.Context, shares int) error
	// Power does something to its machine.
	Power(ctx context.Context, do cluster.Power) error
	// Exec runs a shell script and returns what it prints.
	Exec(ctx context.Context, script, stdin string) (string, error)
	// CopyFile copies a file of this host into it. The engine does not see what is mounted in it, such as /run.
	CopyFile(ctx context.Context, file, path string) error
	// LoadImage imports a docker archive.
	LoadImage(archive []byte) error
}

// A reaper stands ready to remove a cluster.
type reaper interface {
	remove() error // at once
	keep() error   // never
}
