package progress

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Current reads the status file of a run that is under way, and updates its times: the file is written only at changes.
func Current(file string) (Status, error) {
	s, err := Read(file)
	s.age(time.Now())
	return s, err
}

// Read reads a status file.
func Read(file string) (Status, error) {
	var s Status
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("progress: read %s: %w", file, err)
	}
	s.Running, s.Ended = append([]Running{}, s.Running...), append([]Ended{}, s.Ended...) // not nil, for JSON
	return s, nil
}
