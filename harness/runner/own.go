package runner

import (
	"context"
	"errors"
	"io"

	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/cluster/kind"
	"rollcall/harness/dataplane"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/host"
	"rollcall/harness/nodeimage"
)

// A notYet is the cluster of a scenario that has one of its own, until its recording is to begin.
type notYet struct {
	cluster.Cluster // nil
	mode, version   string
}

func (n notYet) Mode() string       { return n.mode }
func (n notYet) Kubernetes() string { return n.version }
func (n notYet) Attached() bool     { return false }

// openNone opens no cluster, for scenarios that have each their own, or says why this host cannot have one.
func (r *Runner) openNone(ctx context.Context, out io.Writer, mode string) (c cluster.Cluster, skip string, err error) {
	if supported, _ := host.Probe(ctx).Supports(dataplane.Of(mode)); !supported {
		return r.open(ctx, out, mode) // which notes that, and opens none either
	}
	if _, err := r.Check(ctx, out); err != nil {
		return nil, "", err
	}
	r.trial = nil
	r.turns, err = newTurns(mode, r.Out, true)
	return nil, "", err
}

// openOwn opens a cluster for one recording, with what it needs for its upgrades at hand. Where no cluster of the mode was
// described yet, this one stands for it in the run folder.
func (r *Runner) openOwn(ctx context.Context, out io.Writer, mode string, own harness.OwnCluster) (cluster.Cluster, error) {
	version, err := nodeimage.Resolve(own.Kubernetes)
	if err != nil {
		return nil, err
	}
	done := r.spend(evidence.Span{Part: evidence.ImagePart, Mode: mode})
	for _, next := range own.Upgrades {
		if err == nil {
			_, err = nodeimage.UpgradeTo(ctx, out, next)
		}
	}
	done()
	if err != nil {
		return nil, err
	}
	if err := kind.Sweep(ctx, out, false); err != nil {
		return nil, err
	}
	if err := host.Probe(ctx).CheckBeside(); err != nil { // those that were kept, and that of other scenarios
		return nil, err
	}
	spec := r.spec(mode)
	spec.Name, spec.Keep = spec.Name+"-own", false
	c, err := r.openKind(ctx, out, spec, version)
	if err != nil {
		return nil, err
	}
	var identity evidence.Cluster
	if store.ReadJSON(r.clusterFile(mode), &identity) != nil {
		if err = r.prepareCluster(ctx, out, c); err == nil {
			err = store.ReadJSON(r.clusterFile(mode), &identity)
		}
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	if r.trial == nil && identity.Trial != nil {
		r.trial = identity.Trial
	}
	return c, nil
}
