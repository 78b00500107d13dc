package provision

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/usage"
)

// Check finds out whether this host can run clusters. If not the error is a [usage.Error], which says what to run.
func Check(ctx context.Context) (host.Facts, error) {
	facts := host.Probe(ctx)
	if ctx.Err() != nil { // then no engine answers
		return facts, context.Cause(ctx)
	}
	engine := &facts.Engine
	if !engine.Running {
		reason := "there is none"
		if _, err := exec.LookPath("docker"); err == nil {
			reason = "it does not answer (" + engine.Error + ")"
		}
		return facts, usage.New("container engine", reason, toRun("setup"))
	}
	program, err := host.Noop(ctx)
	if err != nil {
		return facts, fmt.Errorf("host: build a program for a container: %w", err)
	}
	run := func(ctx context.Context, c command.Command) (string, error) { return c.Run(ctx) }
	err = engine.ProbePrivileged(ctx, program, run)
	if err == nil && engine.Privileged == host.PrivilegedRefused {
		err = usage.New("container engine", "a privileged container does not start: "+engine.PrivilegedError, toRun("setup"))
	}
	return facts, cmp.Or(err, facts.Check(false))
}
