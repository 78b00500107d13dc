package mutants

import (
	"context"
	"time"

	"rollcall/harness/disruption"
	"rollcall/harness/evidence"
)

// A Stage is where a damage is done: a cluster of our own, and the recording that is under way on it.
type Stage struct {
	disruption.Stage
	Event evidence.Event // at which the damage is due; zero before the recording
}

// A Damage is done until it returns, and undone by then. Its context ends with the load.
type Damage func(context.Context, Stage) error

// Names of nodes, without the cluster's.
const (
	controlPlane = disruption.ControlPlane
	worker       = disruption.Worker
	worker2      = disruption.Worker2
)

// by does what a disruption does.
func by(act disruption.Act) Damage {
	return func(ctx context.Context, s Stage) error { return act(ctx, s.Stage) }
}

// script runs a script on a node.
func script(node, text string) Damage { return by(disruption.Script(node, text)) }

// lasting does something on a node for a while: one script does and undoes it.
func lasting(d time.Duration, node, do, undo string) Damage {
	return by(disruption.Lasting(d, node, do, undo))
}

// stopped stops a program on a node for a while.
func stopped(node, program string, d time.Duration) Damage {
	return by(disruption.Stopped(node, program, d))
}

// killed kills a program on a node.
func killed(node, program string) Damage { return by(disruption.Killed(node, program)) }

// together does several damages at once.
func together(damages ...Damage) Damage {
	return func(ctx context.Context, s Stage) error {
		var acts []disruption.Act
		for _, damage := range damages {
			acts = append(acts, func(ctx context.Context, _ disruption.Stage) error { return damage(ctx, s) })
		}
		return disruption.Together(acts...)(ctx, s.Stage)
	}
}

// later does a damage after a while.
func later(d time.Duration, damage Damage) Damage {
	return func(ctx context.Context, s Stage) error {
		disruption.Pause(ctx, d)
		return damage(ctx, s)
	}
}
