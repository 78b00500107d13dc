package mutants

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
)

// A Doing is a mutant's damage in the course of one recording.
type Doing struct {
	mutant  Mutant
	stage   disruption.Stage
	ctx     context.Context // of the damage
	end     context.CancelFunc
	started bool
	doing   errgroup.Group // ends once the damage is undone
}

// Begin does what is due before the recording, and waits for the moment of what is not.
func (m Mutant) Begin(ctx context.Context, stage disruption.Stage) *Doing {
	d := &Doing{mutant: m, stage: stage}
	d.ctx, d.end = context.WithCancel(ctx)
	if m.When.Event == "" {
		d.start(evidence.Event{})
	}
	return d
}

// Sink sees what is noted for a run folder.
func (d *Doing) Sink(next observe.Sink) observe.Sink { return seeing{next, d} }

// End returns when what was done is undone. The error is that it could not be done, or that its moment never came.
func (d *Doing) End() error {
	d.end()
	if d.mutant.Do == nil {
		return nil
	}
	if !d.started {
		return fmt.Errorf("the damage was not done: %s was never seen", d.mutant.When)
	}
	if err := d.doing.Wait(); err != nil {
		return fmt.Errorf("the damage was not done: %w", err)
	}
	return nil
}

// start does the damage when its time has come; it does not wait.
func (d *Doing) start(at evidence.Event) {
	if d.started || d.mutant.Do == nil {
		return
	}
	d.started = true
	stage := d.stage
	stage.Event = at
	d.doing.Go(func() error {
		if poll.Pause(d.ctx, d.mutant.When.After); d.ctx.Err() != nil {
			return fmt.Errorf("the load ended before %s", d.mutant.When)
		}
		return d.mutant.Do(d.ctx, stage)
	})
}

// A seeing sink tells of each event before it passes it on. Events come one at a time.
type seeing struct {
	observe.Sink
	doing *Doing
}

func (s seeing) Event(e evidence.Event) {
	switch {
	case e.Kind == evidence.LoadEnded:
		s.doing.end()
	case s.doing.mutant.When.of(e):
		s.doing.start(e)
	}
	s.Sink.Event(e)
}
