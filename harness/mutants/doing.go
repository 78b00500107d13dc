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

// A Doing is a mutant's damage during a recording.
type Doing struct {
	mutant  Mutant
	stage   disruption.Stage
	ctx     context.Context // of the damage
	end     context.CancelFunc
	started bool
	doing   errgroup.Group // ends once the damage is undone
}

// Begin starts the damage if it is due before the recording; else the Sink does, at its moment.
func (m Mutant) Begin(ctx context.Context, stage disruption.Stage) *Doing {
	d := &Doing{mutant: m, stage: stage}
	d.ctx, d.end = context.WithCancel(ctx)
	if m.When.Event == "" {
		d.start(evidence.Event{})
	}
	return d
}

// Sink returns a sink that looks at each event for the damage's moment, and passes it on to next.
func (d *Doing) Sink(next observe.Sink) observe.Sink { return seeing{next, d} }

// End waits until the damage is undone. It returns an error if the damage could not be done, or if its moment never came.
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

// start starts the damage in a goroutine, which waits for When.After first.
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

// A seeing is the sink of a Doing. Events come one at a time.
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
