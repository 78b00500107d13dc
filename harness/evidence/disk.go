package evidence

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Names of the files in a scenario's folder, and of those that describe the session and its clusters.
const (
	RunFile     = "run.json"
	HitsFile    = "hits.parquet"
	EventsFile  = "events.jsonl"
	SessionFile = "session.json"
	ClusterFile = "cluster.json"
)

// Write puts the evidence into dir, which it makes. A folder that already holds a run is refused:
// evidence is never overwritten. run.json is written last, so a folder without it is incomplete.
func Write(dir string, ev Evidence) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, RunFile)); err == nil {
		return fmt.Errorf("evidence: %s already holds a run", dir)
	}
	if ev.Run.Skipped == "" {
		if err := create(filepath.Join(dir, HitsFile), func(w io.Writer) error { return WriteHits(w, ev.Hits) }); err != nil {
			return err
		}
		if err := create(filepath.Join(dir, EventsFile), func(w io.Writer) error { return WriteEvents(w, ev.Events) }); err != nil {
			return err
		}
	}
	return WriteJSON(filepath.Join(dir, RunFile), ev.Run)
}

// Read loads what Write wrote.
func Read(dir string) (Evidence, error) {
	var ev Evidence
	if err := ReadJSON(filepath.Join(dir, RunFile), &ev.Run); err != nil {
		return ev, err
	}
	if ev.Run.Schema > SchemaVersion {
		return ev, fmt.Errorf("evidence: %s has schema %d, this build reads up to %d: use a newer Rollcall", dir, ev.Run.Schema, SchemaVersion)
	}
	if ev.Run.Skipped != "" {
		return ev, nil
	}
	var err error
	if ev.Hits, err = open(filepath.Join(dir, HitsFile), ReadHits); err != nil {
		return ev, err
	}
	ev.Events, err = open(filepath.Join(dir, EventsFile), func(f *os.File) ([]Event, error) { return ReadEvents(f) })
	return ev, err
}

// WriteEvents writes one JSON object a line.
func WriteEvents(w io.Writer, events []Event) error {
	enc := json.NewEncoder(w)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// ReadEvents reads what WriteEvents wrote; an unknown kind or an unreadable line is an error that names its line.
func ReadEvents(r io.Reader) ([]Event, error) {
	var events []Event
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var e Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if !slices.Contains(EventKinds(), e.Kind) {
			return nil, fmt.Errorf("line %d: unknown event kind %q", n, e.Kind)
		}
		events = append(events, e)
	}
	return events, lines.Err()
}

// WriteJSON writes v indented, through a temporary file, so that a reader never sees half of it.
func WriteJSON(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return create(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// ReadJSON reads what WriteJSON wrote; errors name the file.
func ReadJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("evidence: %s: %w", path, err)
	}
	return nil
}

func create(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	buf := bufio.NewWriter(f)
	err = errors.Join(write(buf), buf.Flush(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("evidence: write %s: %w", path, err)
	}
	return nil
}

func open[T any](path string, read func(*os.File) ([]T, error)) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	defer f.Close()
	records, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("evidence: %s: %w", path, err)
	}
	return records, nil
}
