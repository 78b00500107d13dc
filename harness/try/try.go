package try

import (
	"context"

	"rollcall/harness/cluster"
	"rollcall/harness/during"
)

// Options are those of a recording that are asked for here, too.
type Options struct {
	Sources
	Service string // see New; empty: the one there is
	To      string // see NewChange; empty: a restart
	Line    string // that the program was called with
	DryRun  bool   // say what is understood, and do nothing
	during.Options
}

// Run applies the app, rolls it out under load and reports what it cost, and returns the exit code of the verdict. It is an error if
// there is no report, one of [usage.Error] if what was asked for cannot be.
func Run(ctx context.Context, at during.Terminal, o Options) (int, error) {
	objects, err := Read(o.Sources)
	if err != nil {
		return 0, err
	}
	app, err := New(objects, o.Service)
	if err != nil {
		return 0, err
	}
	change, err := NewChange(app, o.To, o.Sources)
	if err != nil {
		return 0, err
	}
	for _, line := range app.Describe(change) {
		if _, err := at.Out.Write([]byte(line + "\n")); err != nil {
			return 0, err
		}
	}
	if o.DryRun {
		return 0, nil
	}
	o.Settle = settle
	o.Options.Service, o.Options.Load = app.Service(), append(Images(objects), change.Images()...)
	r := &trial{app: app, change: change, images: o.Options.Load}
	return during.RunChange(ctx, at, o.Options, during.Change{Verb: "try", Line: o.Line, Does: change.Does(app), Prepare: r.prepare, Do: r.do, Remove: r.remove})
}

// settle is how long the load goes on when the rollout is over: longer than a request may take (loadgen.DefaultTimeout), and than rules take
// to follow (minSyncPeriod, 1 s).
const settle = "5s"

// A trial is one on a cluster.
type trial struct {
	app    *App
	change Change
	images []string
	target *target
}

func (r *trial) prepare(ctx context.Context, c cluster.Cluster, say func(string)) (err error) {
	if r.target, err = newTarget(c, r.images, say); err != nil {
		return err
	}
	if err := r.target.create(ctx, r.app.Objects); err != nil {
		return err
	}
	return r.target.awaitReady(ctx, c.Client(), r.app)
}

func (r *trial) do(ctx context.Context) error { return r.change.do(ctx, r.app, r.target) }

func (r *trial) remove(ctx context.Context) error {
	if r.target == nil {
		return nil
	}
	return r.target.remove(ctx)
}
