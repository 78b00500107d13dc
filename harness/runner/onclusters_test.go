package runner

import (
	"context"
	"flag"
	"testing"

	"rollcall/harness/cluster"
)

// onClusters runs a test on a real cluster of each mode that the environment asks for and this host has.
func onClusters(t *testing.T, suite string, test func(ctx context.Context, t *testing.T, r *Runner, c cluster.Cluster)) {
	t.Helper()
	var r Runner
	r.List().Register(flag.NewFlagSet(suite, flag.PanicOnError))
	if err := r.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := r.openSession(suite); err != nil {
		t.Fatal(err)
	}
	ctx, stop := r.context(t)
	defer stop()
	for _, mode := range r.modes {
		t.Run(mode, func(t *testing.T) {
			c, skip, err := r.open(ctx, t.Output(), mode)
			if err != nil {
				t.Fatal(err)
			}
			if skip != "" {
				t.Skip(skip)
			}
			defer func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}()
			test(ctx, t, &r, c)
		})
	}
	if err := r.closeSession(r.Broken()); err != nil {
		t.Error(err)
	}
}
