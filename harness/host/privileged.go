package host

import (
	"bytes"
	"context"
	"runtime"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/layout"
)

// Noop returns the program that [Engine.ProbePrivileged] runs: the runtime wrapper, which does nothing when it is called "noop".
func Noop(ctx context.Context) ([]byte, error) {
	home, err := layout.Find()
	if err != nil {
		return nil, err
	}
	return home.Program(ctx, "ociruntime", "./harness/host/ociruntime", runtime.GOARCH)
}

// ProbePrivileged runs a privileged container that does nothing, and sets e.Privileged and e.PrivilegedError. It makes the
// container's image of the static program alone, and removes it again.
func (e *Engine) ProbePrivileged(ctx context.Context, program []byte, run func(context.Context, command.Command) (string, error)) error {
	const image = "rollcall.local/preflight:noop"
	layer, err := layout.Tar("noop", program)
	if err != nil {
		return err
	}
	if _, err := run(ctx, command.Command{Line: "docker import - " + image, Stdin: bytes.NewReader(layer)}); err != nil {
		return err
	}
	_, err = run(ctx, command.Command{Line: "docker run --rm --privileged --network none " + image + " /noop noop"})
	if _, cleanup := run(context.WithoutCancel(ctx), command.Command{Line: "docker rmi --force " + image}); cleanup != nil {
		return cleanup
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e.Privileged, e.PrivilegedError = PrivilegedStarts, ""
	if err != nil {
		e.Privileged, e.PrivilegedError = PrivilegedRefused, command.LastLine(err)
	}
	return nil
}
