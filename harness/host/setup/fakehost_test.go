package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
)

// A fakeHost answers the commands of a setup as a host does, and records them. It does not change the real host.
type fakeHost struct {
	facts       host.Facts
	noDocker    bool              // the package docker.io does not bring the docker command
	fails       map[string]string // beginning of a command line -> what it prints when it fails
	dies        bool              // dockerd ends at once
	keepsConfig bool              // dockerd does not reload its configuration

	lines []string // commands, in order
	out   bytes.Buffer
	setup setup
}

func newFakeHost(t *testing.T, facts host.Facts) *fakeHost {
	dir := t.TempDir()
	h := &fakeHost{facts: facts, fails: map[string]string{}}
	h.setup = setup{
		out: &h.out, probe: func(context.Context) host.Facts { return h.facts }, run: h.run, start: h.start, wrapper: h.compile,
		files: files{
			engineState: filepath.Join(dir, "lib", "engine.json"), wrapper: filepath.Join(dir, "local", "ociruntime"),
			daemonJSON: filepath.Join(dir, "etc", "daemon.json"), dockerPID: filepath.Join(dir, "docker.pid"),
			containerdPID: filepath.Join(dir, "containerd.pid"), dockerdLog: filepath.Join(dir, "dockerd.log"),
			systemd: filepath.Join(dir, "systemd"),
		},
	}
	return h
}

func (h *fakeHost) run(ctx context.Context, c command.Command) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	h.lines = append(h.lines, c.Line)
	for beginning, output := range h.fails {
		if strings.HasPrefix(c.Line, beginning) {
			return "", &command.Error{Line: c.Line, Output: output, Err: errors.New("exit status 1")}
		}
	}
	failed := &command.Error{Line: c.Line, Err: errors.New("exit status 1")}
	switch {
	case c.Line == host.ServerVersion && !h.facts.Engine.Running, c.Line == "docker --version" && h.noDocker:
		return "", failed
	case c.Line == "systemctl start docker":
		h.facts.Engine.Running = true
	case strings.HasPrefix(c.Line, "docker run --rm --privileged") && len(h.facts.MissingCaps) > 0 && !h.registered():
		return "",
			&command.Error{Line: c.Line, Output: "starting\nunable to apply caps: operation not permitted", Err: errors.New("exit status 126")}
	case strings.HasPrefix(c.Line, "docker info") && h.registered() && !h.keepsConfig:
		return wrapperName, nil
	}
	return "", nil
}

func (h *fakeHost) compile(ctx context.Context) ([]byte, error) {
	_, err := h.run(ctx, command.Command{Line: "go build"})
	return []byte("wrapper"), err
}

// registered reports whether the wrapper is in place and the engine's default runtime.
func (h *fakeHost) registered() bool {
	config, _ := os.ReadFile(h.setup.files.daemonJSON)
	wrapper, _ := os.ReadFile(h.setup.files.wrapper)
	return string(wrapper) == "wrapper" && strings.Contains(string(config), `"default-runtime": "rollcall"`)
}

func (h *fakeHost) start(log *os.File) (int, <-chan error, error) {
	h.lines = append(h.lines, "dockerd")
	gone := make(chan error, 1)
	if h.dies {
		fmt.Fprintln(log, "failed to start daemon: no space left on device")
		gone <- errors.New("exit status 1")
	} else {
		h.facts.Engine.Running = true
	}
	return os.Getpid(), gone, nil
}

// ran reports whether a command line with this beginning ran.
func (h *fakeHost) ran(beginning string) bool {
	return slices.ContainsFunc(h.lines, func(line string) bool { return strings.HasPrefix(line, beginning) })
}
