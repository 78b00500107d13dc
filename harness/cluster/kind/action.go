package kind

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"rollcall/harness/usage"
)

// An Action is one step towards a cluster that is ready.
type Action struct {
	Name    string // as errors say it
	Execute func(context.Context, *Cluster) error
}

// do executes the action; its name stands in the error, unless that is a refusal.
func (a Action) do(ctx context.Context, c *Cluster) error {
	err := a.Execute(ctx, c)
	if err == nil || usage.Is(err) {
		return err
	}
	return fmt.Errorf("%s: %w", a.Name, err)
}

// inOrder executes actions one after the other, until one fails.
func inOrder(name string, actions ...Action) Action {
	return Action{name, func(ctx context.Context, c *Cluster) error {
		for _, a := range actions {
			if err := a.do(ctx, c); err != nil {
				return err
			}
		}
		return nil
	}}
}

// atOnce executes actions beside each other. When one fails the others are cancelled, and its error is returned.
func atOnce(name string, actions ...Action) Action {
	return Action{name, func(ctx context.Context, c *Cluster) error {
		group, ctx := errgroup.WithContext(ctx)
		for _, a := range actions {
			group.Go(func() error { return a.do(ctx, c) })
		}
		return group.Wait()
	}}
}

// within bounds how long an action may take.
func within(limit time.Duration, a Action) Action {
	return Action{a.Name, func(ctx context.Context, c *Cluster) error {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done after %v", limit))
		defer cancel()
		return a.Execute(ctx, c)
	}}
}

// run executes actions in order, and says how long those took that took a second or more.
func run(ctx context.Context, c *Cluster, actions []Action) (spent string, err error) {
	var took []string
	for _, a := range actions {
		began := time.Now()
		if err := a.do(ctx, c); usage.Is(err) {
			return "", err
		} else if err != nil {
			return "", fmt.Errorf("cluster %s: %w", c.spec.Name, err)
		}
		if d := time.Since(began); d >= time.Second {
			took = append(took, fmt.Sprintf("%s %.1f s", a.Name, d.Seconds()))
		}
	}
	return strings.Join(took, ", "), nil
}
