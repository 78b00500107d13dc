package host

import (
	"bytes"
	"context"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/layout"
)

// probePrivileged runs a privileged container that does nothing, and sets e.Privileged and e.PrivilegedError. It makes the
// container's image of the static program alone, and removes it again.
func (s setup) probePrivileged(ctx context.Context, program []byte, e *Engine) error {
	const image = "rollcall.local/preflight:noop"
	layer, err := layout.Tar("noop", program)
	if err != nil {
		return err
	}
	if _, err := s.run(ctx, command.Command{Line: "docker import - " + image, Stdin: bytes.NewReader(layer)}); err != nil {
		return err
	}
	_, err = s.line(ctx, "docker run --rm --privileged --network none %s /noop noop", image)
	if _, cleanup := s.line(context.WithoutCancel(ctx), "docker rmi --force %s", image); cleanup != nil {
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
