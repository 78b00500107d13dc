package run

import (
	"context"
	"errors"
	"io"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/kind"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/provision"
)

// openFresh opens a cluster for one recording, after fetching what its upgrades need. If the run folder describes no cluster of
// the mode yet, this one is tried and described there.
func (m *ModeRun) openFresh(ctx context.Context, out io.Writer, wanted harness.FreshCluster) (cluster.Cluster, error) {
	r, mode := m.run, m.mode
	version, err := kube.Resolve(wanted.Kubernetes)
	if err != nil {
		return nil, err
	}
	done := r.spend(evidence.Span{Part: evidence.ImagePart, Mode: mode})
	for _, next := range wanted.Upgrades {
		if err == nil {
			_, err = provision.UpgradeTo(ctx, out, next)
		}
	}
	done()
	if err != nil {
		return nil, err
	}
	if err := kind.Sweep(ctx, out, false); err != nil {
		return nil, err
	}
	if err := host.Probe(ctx).CheckBeside(); err != nil { // beside kept clusters, and the run's
		return nil, err
	}
	spec := r.spec(mode, r.Folder)
	spec.Name, spec.Keep = spec.Name+"-own", false
	c, err := r.openKind(ctx, out, spec, version)
	if err != nil {
		return nil, err
	}
	var identity evidence.Cluster
	switch known := store.ReadJSON(evidence.ClusterPath(r.Folder, mode), &identity) == nil; {
	case known && m.trial == nil:
		m.trial = identity.Trial
	case !known:
		if m.trial, err = r.prepareCluster(ctx, out, c); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}
