package host

import (
	"context"
	"os/exec"

	"example.com/rollcall/harness/command"
)

// An Engine is the Docker engine of this host, as found.
type Engine struct {
	Running         bool
	Installed       bool   // dockerd is on PATH
	Version         string // of the running server
	Error           string // what docker printed when it did not answer
	Managed         bool   // by Rollcall, which installed or started it
	Privileged      Privileged
	PrivilegedError string // what the engine printed when it refused a privileged container
}

// Privileged says whether a privileged container, as kind's nodes are, starts.
type Privileged string

// Values of Privileged. Unknown means that the engine does not run.
const (
	PrivilegedUnknown Privileged = ""
	PrivilegedStarts  Privileged = "starts"
	PrivilegedRefused Privileged = "refused"
)

// String returns the name of the engine and its version.
func (e Engine) String() string {
	switch {
	case e.Running && e.Managed:
		return "Docker " + e.Version + ", set up by Rollcall"
	case e.Running:
		return "Docker " + e.Version
	case e.Installed:
		return "Docker, not running"
	}
	return "none"
}

// consequence returns what the engine's state means for a run.
func (e Engine) consequence() string {
	if e.Running {
		return ""
	}
	return "rollcall-host setup installs and starts it where root and apt-get allow"
}

func probeEngine(ctx context.Context) Engine {
	var e Engine
	_, err := exec.LookPath("dockerd")
	e.Installed = err == nil
	if e.Version, err = command.Run(ctx, ServerVersion); err != nil {
		e.Error = command.LastLine(err)
		return e
	}
	e.Running = true
	e.Managed = ReadEngineState(EngineStateFile).Managed()
	return e
}

// ServerVersion is a command line that succeeds if the engine answers.
const ServerVersion = "docker version --format {{.Server.Version}}"
