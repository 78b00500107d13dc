package host

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"

	"rollcall/harness/command"
)

// probePrivileged starts a privileged container that does nothing. Its image holds the program, which is static, alone, and
// is removed again. What the engine printed comes with a refusal.
func (s setup) probePrivileged(ctx context.Context, program []byte) (p Privileged, refusal string, err error) {
	const image = "rollcall.local/preflight:noop"
	layer, err := oneFileLayer("noop", program)
	if err != nil {
		return PrivilegedUnknown, "", err
	}
	if _, err := s.run(ctx, command.Command{Line: "docker import - " + image, Stdin: layer}); err != nil {
		return PrivilegedUnknown, "", err
	}
	_, err = s.line(ctx, "docker run --rm --privileged --network none %s /noop noop", image)
	if _, cleanup := s.line(context.WithoutCancel(ctx), "docker rmi --force %s", image); cleanup != nil {
		return PrivilegedUnknown, "", cleanup
	}
	if ctx.Err() != nil {
		return PrivilegedUnknown, "", context.Cause(ctx)
	}
	if err != nil {
		return PrivilegedRefused, command.LastLine(err), nil
	}
	return PrivilegedStarts, "", nil
}

// oneFileLayer is a tar of one program.
func oneFileLayer(name string, program []byte) (*bytes.Buffer, error) {
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(program))})
	if err == nil {
		_, err = w.Write(program)
	}
	return &layer, errors.Join(err, w.Close())
}
