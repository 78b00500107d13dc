package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"example.com/rollcall/harness/evidence"
)

// Write makes the folder dir and writes the evidence into it. It refuses a folder that has a run:
// evidence is never overwritten. run.json is written last, so a folder without it is incomplete.
// Write fills in the run's schema and files, and sorts the events by time; a nil stream gets
// no file.
func Write(dir string, ev evidence.Evidence) error {
	if err := begin(dir); err != nil {
		return err
	}
	return write(dir, ev)
}

func write(dir string, ev evidence.Evidence) error {
	ev.Run.Schema, ev.Run.Files = evidence.SchemaVersion, nil
	if ev.Run.Skipped == "" {
		var err error
		if ev.Run.Files, err = writeFiles(dir, ev); err != nil {
			return err
		}
	}
	return WriteJSON(filepath.Join(dir, evidence.RunFile), ev.Run)
}

func writeFiles(dir string, ev evidence.Evidence) (files []evidence.File, err error) {
	put := func(name string, write func(io.Writer) (int, error)) {
		if err != nil {
			return
		}
		file := evidence.File{Name: name}
		hash := sha256.New()
		err = create(filepath.Join(dir, name), func(w io.Writer) (err error) {
			file.Records, err = write(io.MultiWriter(w, hash, (*counter)(&file.Bytes)))
			return err
		})
		file.SHA256 = hex.EncodeToString(hash.Sum(nil))
		files = append(files, file)
	}
	if ev.Hits != nil {
		put(evidence.HitsFile, func(w io.Writer) (int, error) { return writeParquet(w, ev.Hits, hitLayout()) })
	}
	if ev.Arrivals != nil {
		put(evidence.ArrivalsFile, func(w io.Writer) (int, error) { return writeParquet(w, ev.Arrivals, arrivalLayout()) })
	}
	if ev.Connections != nil {
		put(evidence.ConnectionsFile, func(w io.Writer) (int, error) { return writeParquet(w, ev.Connections, connectionLayout()) })
	}
	if ev.Flows != nil {
		put(evidence.FlowsFile, func(w io.Writer) (int, error) { return writeParquet(w, ev.Flows, flowLayout()) })
	}
	put(evidence.EventsFile, func(w io.Writer) (int, error) { return writeEvents(w, ev.Events) })
	return files, err
}

// Read opens a folder written by Write or a [Recorder]. The parquet streams stay on disk until they
// are read. It returns an error for a folder that is not a run of this build's schema; the error wraps
// fs.ErrNotExist if there is no run.json. Everything else that is not as it was recorded is in
// [evidence.Evidence.Damage]: nothing is read of a damaged parquet file, and of events those before the damage.
func Read(dir string) (evidence.Evidence, error) {
	var ev reading
	path := filepath.Join(dir, evidence.RunFile)
	if err := ReadJSON(path, &ev.Run); err != nil {
		return ev.Evidence, fmt.Errorf("%w: the folder is not a recorded scenario: record it again", err)
	}
	switch schema := ev.Run.Schema; {
	case schema > evidence.SchemaVersion:
		return ev.Evidence,
			fmt.Errorf("evidence: read %s: it has schema %d, this build reads %d alone: use a newer Rollcall", path, schema, evidence.SchemaVersion)
	case schema < 1:
		return ev.Evidence, fmt.Errorf("evidence: read %s: it has no schema: the folder is not a recorded scenario: record it again", path)
	case schema < evidence.SchemaVersion:
		return ev.Evidence,
			fmt.Errorf("evidence: read %s: it has schema %d, this build reads %d alone: use the Rollcall that recorded it, or record it again",
				path, schema, evidence.SchemaVersion)
	case ev.Run.Skipped != "":
	case len(ev.Run.Files) == 0:
		ev.readSegments(dir)
	default:
		ev.readFiles(dir)
	}
	return ev.Evidence, nil
}

// A counter is a writer that only counts.
type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
