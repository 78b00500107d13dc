package runner

import (
	"context"
	"flag"
	"testing"
)

// onClusters runs a test on a real cluster of each mode that the environment asks for and this host has.
func onClusters(t *testing.T, suite string, test func(ctx context.Context, t *testing.T, m *ModeRun)) {
	t.Helper()
	var r Runner
	r.List().Register(flag.NewFlagSet(suite, flag.PanicOnError))
	if err := r.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := r.openSession(t.Context(), suite); err != nil {
		t.Fatal(err)
	}
	ctx, stop := r.context(t)
	defer stop()
	for _, mode := range r.modes {
		t.Run(mode, func(t *testing.T) {
			m, skip, err := r.Open(ctx, t.Output(), mode, false)
			if err != nil {
				t.Fatal(err)
			}
			if skip != "" {
				t.Skip(skip)
			}
			defer func() {
				if err := m.Close(ctx); err != nil {
					t.Error(err)
				}
			}()
			test(ctx, t, m)
		})
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
}
