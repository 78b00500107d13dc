package host

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"rollcall/harness/command"
)

// An Engine is the Docker engine of this host, as found.
type Engine struct {
	Running    bool
	Installed  bool   // dockerd is on PATH
	Version    string // of the running server
	Trouble    string // what docker says while it does not answer
	Ours       bool   // installed or started by an earlier preflight
	Privileged Privileged
	Refusal    string // what the engine said when it refused a privileged container
}

// Privileged says whether a privileged container starts: kind's nodes are such containers.
type Privileged string

// The zero value was not tried, for want of a running engine.
const (
	NotTried Privileged = ""
	Starts   Privileged = "starts"
	Refusing Privileged = "refused"
)

func (p Privileged) follows() string {
	return map[Privileged]string{Starts: "kind nodes can run", Refusing: "kind nodes cannot run"}[p]
}

// String says what the engine is.
func (e Engine) String() string {
	switch {
	case e.Running && e.Ours:
		return "Docker " + e.Version + ", set up by Rollcall"
	case e.Running:
		return "Docker " + e.Version
	case e.Installed:
		return "Docker, not running"
	}
	return "none"
}

func (e Engine) follows() string {
	if e.Running {
		return ""
	}
	return "will be installed and started where root and apt-get allow"
}

// marker is where Rollcall notes what it did to this host's engine.
const marker = "/var/lib/rollcall/engine.json"

// A record is the content of marker.
type record struct {
	Installed bool `json:"installed"` // we installed the package
	Started   int  `json:"started"`   // pid of the dockerd we started, 0 for none
	Unit      bool `json:"unit"`      // we started it through systemd
}

func readRecord() (r record) {
	data, err := os.ReadFile(marker)
	if err == nil {
		_ = json.Unmarshal(data, &r) // an unreadable note claims nothing
	}
	return r
}

func (r record) write() error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(marker), 0o755); err != nil {
		return err
	}
	return os.WriteFile(marker, data, 0o644)
}

func (r record) ours() bool {
	if os.Getenv("DOCKER_HOST") != "" {
		return false // another engine than the one of the note
	}
	if r.Installed || r.Unit {
		return true
	}
	return r.Started > 0 && programOf(r.Started) == "dockerd"
}

func probeEngine(ctx context.Context) Engine {
	var e Engine
	_, err := exec.LookPath("dockerd")
	e.Installed = err == nil
	if e.Version, err = command.Run(ctx, "docker version --format {{.Server.Version}}"); err != nil {
		e.Trouble = LastWords(err)
		return e
	}
	e.Running = true
	e.Ours = readRecord().ours()
	return e
}

// probePrivileged starts a privileged container that does nothing, from an image that holds one
// static program and is removed again.
func probePrivileged(ctx context.Context, program []byte) (Privileged, string, error) {
	const image = "rollcall.local/preflight:noop"
	var layer bytes.Buffer
	tw := tar.NewWriter(&layer)
	err := errors.Join(
		tw.WriteHeader(&tar.Header{Name: "noop", Mode: 0o755, Size: int64(len(program))}),
		write(tw, program), tw.Close())
	if err != nil {
		return NotTried, "", err
	}
	if _, err := (command.Command{Line: "docker import - " + image, Stdin: &layer}).Run(ctx); err != nil {
		return NotTried, "", err
	}
	_, err = command.Run(ctx, "docker run --rm --privileged --network none %s /noop noop", image)
	if _, cleanup := command.Run(context.WithoutCancel(ctx), "docker rmi --force %s", image); cleanup != nil {
		return NotTried, "", cleanup
	}
	if ctx.Err() != nil {
		return NotTried, "", context.Cause(ctx)
	}
	if err != nil {
		return Refusing, LastWords(err), nil
	}
	return Starts, "", nil
}

// LastWords is what a failed command printed last, or the error itself.
func LastWords(err error) string {
	var failed *command.Error
	if errors.As(err, &failed) && failed.Output != "" {
		return command.LastLines(failed.Output, 1)
	}
	return err.Error()
}

func write(w *tar.Writer, data []byte) error {
	_, err := w.Write(data)
	return err
}
