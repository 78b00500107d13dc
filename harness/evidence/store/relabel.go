package store

import (
	"errors"
	"example.com/rollcall/harness/evidence"
	"fmt"
	"os"
	"path/filepath"
)

// Relabel puts the recording of one folder into another as well, for a scenario that asks about the same rollout: the streams
// are the same files, and the run is edited. A folder that already holds a run is refused.
func Relabel(from, to string, edit func(*evidence.Run)) error {
	var run evidence.Run
	if err := ReadJSON(filepath.Join(from, evidence.RunFile), &run); err != nil {
		return err
	}
	if err := begin(to); err != nil {
		return err
	}
	for _, f := range run.Files {
		if err := link(filepath.Join(from, f.Name), filepath.Join(to, f.Name)); err != nil {
			return fmt.Errorf("evidence: %w", err)
		}
	}
	run.RecordedFor = run.Suite + "/" + run.Scenario
	edit(&run)
	return WriteJSON(filepath.Join(to, evidence.RunFile), run)
}

// link gives a file a second name, or copies it where the file system has no such thing.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
