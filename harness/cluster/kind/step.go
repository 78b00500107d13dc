package kind

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/rollcall/harness/usage"
)

// A step is one towards a cluster that is ready.
type step struct {
	name string // as errors say it
	take func(context.Context) error
}

// named takes the step; its name stands in the error, unless that is a refusal.
func (s step) named(ctx context.Context) error {
	err := s.take(ctx)
	if err == nil || usage.Is(err) {
		return err
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// inOrder takes steps one after the other, until one fails.
func inOrder(name string, steps ...step) step {
	return step{name, func(ctx context.Context) error {
		for _, s := range steps {
			if err := s.named(ctx); err != nil {
				return err
			}
		}
		return nil
	}}
}

// atOnce takes steps beside each other. When one fails the others are cancelled, and its error is returned.
func atOnce(name string, steps ...step) step {
	return step{name, func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		for _, s := range steps {
			group.Go(func() error { return s.named(ctx) })
		}
		return group.Wait()
	}}
}

// within bounds how long a step may take.
func within(limit time.Duration, s step) step {
	return step{s.name, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done after %v", limit))
		defer cancel()
		return s.take(ctx)
	}}
}

// run takes steps towards a cluster in order, and says how long those took that took a second or more.
func run(ctx context.Context, cluster string, steps []step) (spent string, err error) {
	var took []string
	for _, s := range steps {
		began := time.Now()
		if err := s.named(ctx); usage.Is(err) {
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
