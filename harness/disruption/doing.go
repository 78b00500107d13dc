package disruption

import (
	"context"
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// A Doing is a disruption that goes on in a goroutine during a recording.
type Doing struct {
	end    context.CancelFunc
	undone chan struct{} // closed when it has been undone and the wait for the cluster is over
	err    error         // once undone is closed
}

// Begin starts a disruption, which waits until its time comes, and returns at once.
func (d Disruption) Begin(ctx context.Context, s Stage) *Doing {
	ctx, end := context.WithCancel(ctx)
	doing := &Doing{end: end, undone: make(chan struct{})}
	go func() {
		defer close(doing.undone)
		doing.err = d.run(ctx, s)
	}()
	return doing
}

// Wait waits until the cluster is whole again, or the disruption has failed, or ctx ends. It may be called repeatedly.
func (d *Doing) Wait(ctx context.Context) error {
	select {
	case <-d.undone:
		return d.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// End ends the disruption early, and waits until it is undone.
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

// A BrokenError means that the cluster must not be used again.
type BrokenError struct{ error }

// Unwrap returns the cause.
func (e *BrokenError) Unwrap() error { return e.error }
