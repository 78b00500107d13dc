package host

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// engineStateFile is the path of the engineState, as JSON.
const engineStateFile = "/var/lib/rollcall/engine.json"

// An engineState records what Rollcall did to this host's engine.
type engineState struct {
	Installed bool `json:"installed"` // Rollcall installed the package
	Started   int  `json:"started"`   // pid of the dockerd that Rollcall started, 0 for none
	Unit      bool `json:"unit"`      // Rollcall started the systemd unit
}

// readEngineState reads the state from a file. If the file is missing or damaged it returns the zero value.
func readEngineState(file string) (s engineState) {
	data, err := os.ReadFile(file)
	if err == nil && json.Unmarshal(data, &s) != nil {
		return engineState{}
	}
	return s
}

func (s engineState) write(file string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replaceFile(file, data, 0o644)
}

// managed reports whether Rollcall installed or started the engine that runs.
func (s engineState) managed() bool {
	if os.Getenv("DOCKER_HOST") != "" {
		return false // the state is of the engine of this host, not of that one
	}
	return s.Installed || s.Unit || s.Started > 0 && processName(s.Started) == "dockerd"
}

// processName returns the name of a process; empty if there is none with this pid.
func processName(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
}
