package setup

import (
	"context"
	"fmt"
	"io"
	"os"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/usage"
)

// A setup makes a host able to run kind clusters. Tests replace its fields, so that they do not change the host.
type setup struct {
	out   io.Writer // progress, a line each
	probe func(context.Context) host.Facts
	run   func(context.Context, command.Command) (string, error)
	// start starts dockerd with its output in a file. The process outlives this one; gone receives its end.
	start   func(log *os.File) (pid int, gone <-chan error, err error)
	wrapper func(context.Context) ([]byte, error) // returns the program of the runtime wrapper
	files   files
}

// files are the paths on the host that a setup reads or writes.
type files struct {
	engineState   string
	wrapper       string // the runtime wrapper, as registered with the engine
	daemonJSON    string
	dockerPID     string
	containerdPID string
	dockerdLog    string
	systemd       string // exists where systemd runs
}

// Ensure makes this host able to run kind clusters, as the package comment says, and prints to w what it does. A second call
// changes nothing. If it is not possible the error is a [usage.Error].
func Ensure(ctx context.Context, w io.Writer) (f host.Facts, err error) {
	err = host.WithLock(ctx, w, "host", "sets up this host", func(string) (err error) {
		s := setup{
			out: w, probe: host.Probe, run: func(ctx context.Context, c command.Command) (string, error) { return c.Run(ctx) }, start: startDaemon,
			wrapper: host.Noop,
			files: files{
				engineState: host.EngineStateFile, wrapper: wrapperPath, daemonJSON: daemonJSON, dockerPID: "/var/run/docker.pid",
				containerdPID: "/var/run/docker/containerd/containerd.pid", dockerdLog: "/var/log/rollcall-dockerd.log",
				systemd: "/run/systemd/system",
			},
		}
		f, err = s.ensure(ctx)
		return err
	})
	return f, err
}

func (s setup) ensure(ctx context.Context) (f host.Facts, err error) {
	f = s.probe(ctx)
	if ctx.Err() != nil { // then no engine answers
		return f, context.Cause(ctx)
	}
	if !f.Engine.Running {
		if err := s.provideEngine(ctx, f); err != nil {
			return f, err
		}
		f = s.probe(ctx)
	}
	wrapper, err := s.wrapper(ctx)
	if err != nil {
		return f, fmt.Errorf("host: build the runtime wrapper: %w", err)
	}
	if err := f.Engine.ProbePrivileged(ctx, wrapper, s.run); err != nil {
		return f, err
	}
	if f.Engine.Privileged == host.PrivilegedRefused && len(f.MissingCaps) > 0 {
		if !f.Engine.Managed && os.Getenv("ROLLCALL_HOST_SETUP") != "1" {
			return f, foreignEngineError(f)
		}
		if err := s.registerWrapper(ctx, wrapper); err != nil {
			return f, err
		}
		if err := f.Engine.ProbePrivileged(ctx, wrapper, s.run); err != nil {
			return f, err
		}
	}
	if f.Engine.Privileged == host.PrivilegedRefused {
		return f, usage.New("container engine", "a privileged container does not start: "+f.Engine.PrivilegedError,
			"kind needs one: see the engine's log")
	}
	return f, nil
}

// line runs a command line.
func (s setup) line(ctx context.Context, format string, args ...any) (string, error) {
	return s.run(ctx, command.Command{Line: fmt.Sprintf(format, args...)})
}
