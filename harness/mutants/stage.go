package mutants

import (
	"context"
	"fmt"
	"time"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
)

// A Stage is where a damage is done: a cluster of our own, and the recording that is under way on it.
type Stage struct {
	Cluster   cluster.Changeable
	Namespace string // of the app
	App       fixtures.App
	Event     evidence.Event // at which the damage is due; zero before the recording
}

// A Damage is done until it returns, and undone by then. Its context ends with the load.
type Damage func(context.Context, Stage) error

// Names of nodes, without the cluster's.
const (
	controlPlane = "control-plane"
	worker       = "worker"
	worker2      = "worker2"
)

// scriptTimeout bounds a script on a node, which does not end with the load: it undoes what it did.
const scriptTimeout = time.Minute

// on runs a shell script on a node.
func (s Stage) on(ctx context.Context, node, script string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), scriptTimeout, fmt.Errorf("not done after %v", scriptTimeout))
	defer cancel()
	out, err := s.Cluster.Exec(ctx, s.Cluster.Name()+"-"+node, script)
	if err != nil {
		return out, fmt.Errorf("on %s: %w", node, err)
	}
	return out, nil
}

// script runs a script on a node.
func script(node, text string) Damage {
	return func(ctx context.Context, s Stage) error {
		_, err := s.on(ctx, node, "set -e\n"+text)
		return err
	}
}

// lasting does something on a node for a while: one script does and undoes it.
func lasting(d time.Duration, node, do, undo string) Damage {
	return script(node, fmt.Sprintf("undo() {\n%s\n}\ntrap undo EXIT\n%s\nsleep %.3f\n", undo, do, d.Seconds()))
}

// together does several damages at once.
func together(damages ...Damage) Damage {
	return func(ctx context.Context, s Stage) error {
		failed := make(chan error, len(damages))
		for _, damage := range damages {
			go func() { failed <- damage(ctx, s) }()
		}
		var err error
		for range damages {
			if e := <-failed; err == nil {
				err = e
			}
		}
		return err
	}
}

// later does a damage after a while.
func later(d time.Duration, damage Damage) Damage {
	return func(ctx context.Context, s Stage) error {
		pause(ctx, d)
		return damage(ctx, s)
	}
}

// pause lasts for d, or until the load ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
