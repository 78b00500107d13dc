package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/evidence"
)

// Relabel shares the recording in one folder with another, for a scenario that is judged from the same rollout: the streams
// are the same files, and the run is edited. It refuses a folder that has a run.
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

// link makes a hard link to a file, or copies it where the file system has no hard links.
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
