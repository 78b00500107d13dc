package runner

import (
	"context"

	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/record"
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

// recordFromHost is the recorder of this host alone.
func recordFromHost(ctx context.Context, s harness.Scenario, c record.Config) (recording, error) {
	r, err := record.FromHost(ctx, s, c)
	if r == nil {
		return nil, err
	}
	return r, err
}
