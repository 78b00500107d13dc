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
	// Draw shows a status, which has all that the one before had ended.
	Draw(s Status) error
}

// drawEvery paces a screen; a person reads no faster.
const drawEvery = 500 * time.Millisecond

// Follow has a screen draw the status file of a run folder until ctx ends, and then once more, with nothing under way.
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

// Current reads the status file of a run that is under way, with times of now: the file is as old as the last change.
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
	s.Running, s.Ended = append([]Running{}, s.Running...), append([]Ended{}, s.Ended...) // lists, also of nothing
	return s, nil
}
