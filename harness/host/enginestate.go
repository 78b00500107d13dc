package host

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// EngineStateFile is the path of the EngineState, as JSON.
const EngineStateFile = "/var/lib/rollcall/engine.json"

// An EngineState records what rollcall-host did to this host's engine.
type EngineState struct {
	Installed bool `json:"installed"` // it installed the package
	Started   int  `json:"started"`   // pid of the dockerd that it started, 0 for none
	Unit      bool `json:"unit"`      // it started the systemd unit
}

// ReadEngineState reads the state from a file. If the file is missing or damaged it returns the zero value.
func ReadEngineState(file string) (s EngineState) {
	data, err := os.ReadFile(file)
	if err == nil && json.Unmarshal(data, &s) != nil {
		return EngineState{}
	}
	return s
}

// Managed reports whether Rollcall installed or started the engine that runs.
func (s EngineState) Managed() bool {
	if os.Getenv("DOCKER_HOST") != "" {
		return false // the state is of the engine of this host, not of that one
	}
	return s.Installed || s.Unit || s.Started > 0 && ProcessName(s.Started) == "dockerd"
}

// ProcessName returns the name of a process; empty if there is none with this pid.
func ProcessName(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
}
