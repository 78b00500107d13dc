package harness

import (
	"context"
	"errors"
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
		{"what was to be undone is, before they end", func(n *int) { defer func() { *n++ }(); Check(lost) }, lost, 1},
	} {
		taken := 0
		err := new(Steps).Take(t.Context(), func(context.Context, *Steps) { row.steps(&taken) })
		if !errors.Is(err, row.want) || (err == nil) != (row.want == nil) || taken != row.taken {
			t.Errorf("%s: %v after %d, want %v after %d", row.sentence, err, taken, row.want, row.taken)
		}
	}
}

// A defect of a scenario is no failure of the cluster: it is not taken for one.
func TestTakePanics(t *testing.T) {
	defer func() {
		if recover() != "index out of range" {
			t.Error("the panic went no further")
		}
	}()
	t.Error(new(Steps).Take(t.Context(), func(context.Context, *Steps) { panic("index out of range") }))
}
