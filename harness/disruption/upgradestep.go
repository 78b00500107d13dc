package disruption

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A step is a part of an upgrade.
type step struct {
	node  string // whole name; empty: none, or all
	what  string
	marks bool // do marks its own steps; else runSteps marks the step
	do    func(context.Context) error
	limit time.Duration // 0: stepLimit
}

// runSteps marks and runs steps in order, until one fails.
func runSteps(ctx context.Context, s Stage, steps []step) error {
	for _, step := range steps {
		if !step.marks {
			s.Step(strings.TrimPrefix(step.node, s.Cluster.Name()+"-"), step.what)
		}
		if err := step.take(ctx); err != nil {
			on := ""
			if step.node != "" {
				on = " on " + step.node
			}
			return fmt.Errorf("step %q%s: %w", step.what, on, err)
		}
	}
	return nil
}

func (s step) take(ctx context.Context) error {
	limit := max(s.limit, stepLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done after %v", limit))
	defer cancel()
	return s.do(ctx)
}
