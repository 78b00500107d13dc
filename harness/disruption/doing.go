package disruption

import (
	"context"
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// A Doing is a disruption in the course of a recording.
type Doing struct {
	end    context.CancelFunc
	undone chan struct{}
	err    error // once undone
}

// Begin does a disruption when its time comes. It does not wait.
func (d Disruption) Begin(ctx context.Context, s Stage) *Doing {
	ctx, end := context.WithCancel(ctx)
	doing := &Doing{end: end, undone: make(chan struct{})}
	go func() {
		defer close(doing.undone)
		doing.err = d.run(ctx, s)
	}()
	return doing
}

// Wait returns when the cluster is whole again, or it is known that it is not, or ctx ends. It may be called again.
func (d *Doing) Wait(ctx context.Context) error {
	select {
	case <-d.undone:
		return d.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// End ends the disruption early, and returns when it is undone.
func (d *Doing) End() {
	d.end()
	<-d.undone
}

func (d Disruption) run(ctx context.Context, s Stage) error {
	if poll.Pause(ctx, d.After); ctx.Err() != nil {
		return fmt.Errorf("the recording ended before %s", d.Does)
	}
	s.Note(evidence.Event{Kind: evidence.DisruptionBegun, Detail: d.Does})
	if err := d.Do(ctx, s); err != nil {
		return fmt.Errorf("%s: %w", d.ID, err)
	}
	s.Note(evidence.Event{Kind: evidence.DisruptionUndone})
	if d.ByOthers() {
		if err := d.AwaitWhole(ctx, s); err != nil {
			return fmt.Errorf("after %s the cluster is not whole: %w", d.ID, err)
		}
	} else if s.Attached != nil {
		if err := s.awaitOpen(ctx, d.Nodes); err != nil {
			return fmt.Errorf("after %s: %w", d.ID, err)
		}
	} else if err := AwaitWhole(ctx, s.Cluster, d.Whole); err != nil {
		return &BrokenError{fmt.Errorf("after %s the cluster is not whole: %w", d.ID, err)}
	}
	s.Note(evidence.Event{Kind: evidence.ClusterWhole})
	return nil
}

// A BrokenError is a cluster that is not to be used again.
type BrokenError struct{ error }

// Unwrap returns the cause.
func (e *BrokenError) Unwrap() error { return e.error }
