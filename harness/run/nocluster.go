package run

import "example.com/rollcall/harness/cluster"

// A noCluster is used where there is no cluster, so that such recordings, too, have a turn and a place in the run folder: where this
// host alone requests a URL, and for a scenario with a fresh cluster until its recording begins.
type noCluster struct {
	cluster.Cluster        // nil
	mode, version   string // version: Kubernetes'; empty: none
}

func (n noCluster) Name() string       { return n.mode }
func (n noCluster) Mode() string       { return n.mode }
func (n noCluster) Kubernetes() string { return n.version }
func (n noCluster) Attached() bool     { return false }
func (n noCluster) Temporary() bool    { return true }
func (n noCluster) Door() cluster.Door { return cluster.Door{} }
func (n noCluster) Close() error       { return nil }
