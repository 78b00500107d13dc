package runner

import "example.com/rollcall/harness/cluster"

// A noCluster stands where there is none: for good, where this host alone asks a URL, so that such recordings have a turn and a place in
// the run folder like any other; and until a recording is to begin, for a scenario that has a cluster of its own.
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
