package harness

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestTake(t *testing.T) {
	lost := errors.New("the API server is away")
	for _, row := range []struct {
		sentence string
		steps    func(*int)
		want     error
		taken    int
	}{
		{"steps that all succeed", func(n *int) { Check(nil); *n += Must(1, nil) }, nil, 1},
		{"a call without a value that fails ends them", func(n *int) { Check(lost); *n++ }, lost, 0},
		{"so does one with a value", func(n *int) { *n += Must(1, lost) }, lost, 0},
	} {
		taken := 0
		err := new(Steps).Take(t.Context(), func(context.Context, *Steps) { row.steps(&taken) })
		if !errors.Is(err, row.want) || (err == nil) != (row.want == nil) || taken != row.taken {
			t.Errorf("%s: %v after %d, want %v after %d", row.sentence, err, taken, row.want, row.taken)
		}
	}
}

func TestCleanup(t *testing.T) {
	lost, left := errors.New("the API server is away"), errors.New("the Service is still there")
	var order []string
	err := new(Steps).Take(t.Context(), func(_ context.Context, s *Steps) {
		s.Cleanup(func(context.Context) error { order = append(order, "first"); return nil })
		s.Cleanup(func(context.Context) error { order = append(order, "last"); return left })
		Check(lost)
	})
	if !errors.Is(err, lost) || !errors.Is(err, left) || !slices.Equal(order, []string{"last", "first"}) {
		t.Errorf("%v, after %v: both errors are told, and the last is undone first", err, order)
	}
}

// A panic of the steps is not a failure of the cluster: it goes on, after the cleanup.
func TestTakePanics(t *testing.T) {
	undone := false
	defer func() {
		if recover() != "index out of range" || !undone {
			t.Errorf("the panic went no further, or nothing was undone: %t", undone)
		}
	}()
	t.Error(new(Steps).Take(t.Context(), func(_ context.Context, s *Steps) {
		s.Cleanup(func(context.Context) error { undone = true; return nil })
		panic("index out of range")
	}))
}
