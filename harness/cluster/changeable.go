package cluster

import (
	"context"
	"io"

	"example.com/rollcall/harness/dataplane"
)

// A Changeable is a cluster of our own, which scenarios may change.
type Changeable interface {
	Cluster
	Machines
	Upkeep
}

// Machines are the nodes of a cluster of our own: commands run on them, as root.
type Machines interface {
	// Nodes returns the names of all nodes.
	Nodes() []string
	// Plane returns what routes connections to Services on the nodes.
	Plane() dataplane.Plane
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
}

// A Power is an action of [Machines.Power], named after the `docker` command for a node that is a container.
type Power string

// Actions of Power.
const (
	Freeze   Power = "pause"
	Thaw     Power = "unpause"
	PowerOff Power = "kill" // at once
	PowerOn  Power = "start"
	Reboot   Power = "restart" // its programs get SIGTERM, and SIGKILL 10 s later
)

// An Upkeep makes a cluster of our own as it was again, or has nobody use it any more.
type Upkeep interface {
	// AwaitReady waits until nodes, proxies and CoreDNS are ready and a pod on each worker reaches the API server's Service.
	AwaitReady(ctx context.Context) error
	// RestoreRoutes writes every node's routes to the pods of the others again: a node that booted may have another address.
	RestoreRoutes(ctx context.Context) error
	// ProxiesLeaveCPUCgroup moves proxies that were restarted out of their CPU cgroups, as the creation of the cluster did.
	ProxiesLeaveCPUCgroup(ctx context.Context) error
	// Condemn marks the cluster as unusable, with the reason: no later run uses it, even if it was to be kept.
	Condemn(because string) error
	// Condemned returns the reason given to Condemn; empty if the cluster may be used.
	Condemned() string
	// Output returns the writer for the progress of changes that take long.
	Output() io.Writer
}
