package host

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// engineStateFile is where Rollcall keeps what it did to this host's engine.
const engineStateFile = "/var/lib/rollcall/engine.json"

// An engineState is what Rollcall did to this host's engine.
type engineState struct {
	Installed bool `json:"installed"` // it installed the package
	Started   int  `json:"started"`   // pid of the dockerd that it started, 0 for none
	Unit      bool `json:"unit"`      // it started the systemd unit
}

// readEngineState reads a file that may be missing or damaged: then Rollcall did nothing.
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

// managed reports whether the engine that runs is the one that Rollcall installed or started.
func (s engineState) managed() bool {
	if os.Getenv("DOCKER_HOST") != "" {
		return false // another engine than that of the file
	}
	return s.Installed || s.Unit || s.Started > 0 && processName(s.Started) == "dockerd"
}

// processName is the name of a running program, empty when there is no such process.
func processName(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
}
