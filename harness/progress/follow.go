package progress

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// A Screen shows a status to a person.
type Screen interface {
	// Draw shows a status. Its Ended begins with that of the status before.
	Draw(s Status) error
}

// drawEvery is the interval between two draws; people read no faster.
const drawEvery = 500 * time.Millisecond

// Follow draws a status file on a screen until ctx ends, and then once more, with nothing under way.
func Follow(ctx context.Context, file string, screen Screen) error {
	for {
		s, err := Current(file)
		if err == nil {
			err = screen.Draw(s)
		}
		if err != nil {
			return err
		}
		select {
		case <-time.After(drawEvery):
		case <-ctx.Done():
			s, err := Read(file)
			if err != nil {
				return err
			}
			s.Running, s.Doing = nil, ""
			return screen.Draw(s)
		}
	}
}

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
