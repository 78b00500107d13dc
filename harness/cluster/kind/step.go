package kind

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/rollcall/harness/usage"
)

// A step is one of those that create a cluster or make a kept one ready.
type step struct {
	name string // in errors
	take func(context.Context) error
}

// takeNamed takes the step and prefixes its error with its name, unless it is a [usage] error.
func (s step) takeNamed(ctx context.Context) error {
	err := s.take(ctx)
	if err == nil || usage.Is(err) {
		return err
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// inOrder returns a step that takes others one after the other, until one fails.
func inOrder(name string, steps ...step) step {
	return step{name, func(ctx context.Context) error {
		for _, s := range steps {
			if err := s.takeNamed(ctx); err != nil {
				return err
			}
		}
		return nil
	}}
}

// inParallel returns a step that takes others in parallel. When one fails the others are cancelled, and its error is returned.
func inParallel(name string, steps ...step) step {
	return step{name, func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		for _, s := range steps {
			group.Go(func() error { return s.takeNamed(ctx) })
		}
		return group.Wait()
	}}
}

// withTimeout returns the step with a time limit.
func withTimeout(limit time.Duration, s step) step {
	return step{s.name, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done after %v", limit))
		defer cancel()
		return s.take(ctx)
	}}
}

// run takes the steps of a cluster in order. Spent names those that took a second or more, with their times.
func run(ctx context.Context, cluster string, steps []step) (spent string, err error) {
	var took []string
	for _, s := range steps {
		began := time.Now()
		if err := s.takeNamed(ctx); usage.Is(err) {
			return "", err
		} else if err != nil {
			return "", fmt.Errorf("cluster %s: %w", cluster, err)
		}
		if d := time.Since(began); d >= time.Second {
			took = append(took, fmt.Sprintf("%s %.1f s", s.name, d.Seconds()))
		}
	}
	return strings.Join(took, ", "), nil
}
