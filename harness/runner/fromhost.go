package runner

import (
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
)

// noCluster stands where there is none: recordings from this host alone have a turn and a place in the run folder like any other.
type noCluster struct {
	cluster.Cluster // nil
}

func (noCluster) Name() string       { return evidence.NoCluster }
func (noCluster) Mode() string       { return evidence.NoCluster }
func (noCluster) Kubernetes() string { return "" }
func (noCluster) Attached() bool     { return false }
func (noCluster) Temporary() bool    { return true }
func (noCluster) Door() cluster.Door { return cluster.Door{} }
func (noCluster) Close() error       { return nil }
