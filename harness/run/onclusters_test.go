package run

import (
	"context"
	"flag"
	"testing"
)

// planned returns a suite whose plan is made from the options of the environment, changed by a test.
func planned(t *testing.T, suite string, change func(*Options)) (s Suite) {
	t.Helper()
	s.List().Register(flag.NewFlagSet(suite, flag.PanicOnError))
	change(&s.Options)
	var err error
	if s.plan, err = NewPlan(s.Options); err != nil {
		t.Fatal(err)
	}
	return s
}

// onClusters runs a test on a real cluster of each mode that the environment asks for and this host has.
func onClusters(t *testing.T, suite string, test func(ctx context.Context, t *testing.T, m *ModeRun)) {
	t.Helper()
	s := planned(t, suite, func(*Options) {})
	ctx, stop := untilDeadline(t)
	defer stop()
	r, err := s.begin(ctx, suite)
	if err != nil {
		t.Fatal(err)
	}
	inEachMode(ctx, t, r, test)
	if err := r.End(); err != nil {
		t.Error(err)
	}
}

// inEachMode runs a test on a real cluster of each mode of a run that this host has.
func inEachMode(ctx context.Context, t *testing.T, r *Run, test func(ctx context.Context, t *testing.T, m *ModeRun)) {
	t.Helper()
	for _, mode := range r.Modes {
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
}
