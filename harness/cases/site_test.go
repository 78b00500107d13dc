package cases

import (
	"errors"
	"sync"
	"testing"

	"example.com/rollcall/harness/run"
)

// A site is the kept cluster of a mode.
type site struct {
	programs string // the folder of rollcall
	mode     string
	opening  sync.Once
	unopened error
}

// open makes the cluster, or brings a kept one into the state of a new one, with today's images, before the first app is applied there.
func (s *site) open(t *testing.T) {
	t.Helper()
	s.opening.Do(func() { s.unopened = open(t, s.mode) })
	if s.unopened != nil {
		t.Fatal(s.unopened)
	}
}

func open(t *testing.T, mode string) error {
	plan, err := run.NewPlan(run.Options{Modes: mode, Keep: true})
	if err != nil {
		return err
	}
	folder := t.TempDir()
	r, err := plan.Begin(t.Context(), folder, plan.NewSession(folder))
	if err != nil {
		return err
	}
	m, skip, err := r.Open(t.Context(), t.Output(), mode, false)
	switch {
	case err != nil:
	case skip != "":
		err = errors.New(skip)
	default:
		err = m.Close(t.Context())
	}
	return errors.Join(err, r.End())
}
