package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A reading is the evidence of a folder during reading.
type reading struct{ evidence.Evidence }

// addDamage adds an error about a file unless it is nil.
func (ev *reading) addDamage(file string, err error) {
	if err != nil {
		ev.Damage = append(ev.Damage, evidence.Damage{File: file, Text: err.Error()})
	}
}

// readFiles opens the streams that run.json describes. A parquet file that was changed is not
// opened: the decoder trusts lengths and codecs, and could use up all memory.
func (ev *reading) readFiles(dir string) {
	for _, file := range ev.Run.Files {
		if !filepath.IsLocal(file.Name) {
			ev.addDamage(evidence.RunFile, fmt.Errorf("%s: it lists %q, which is outside its folder: it was changed after it was recorded",
				evidence.RunFile, file.Name))
			continue
		}
		path := filepath.Join(dir, file.Name)
		changed := compareSum(path, file)
		ev.addDamage(file.Name, changed)
		switch file.Name {
		case evidence.HitsFile:
			if changed == nil {
				ev.Hits = parquetStream(path, file.Records, hitLayout())
			}
		case evidence.ArrivalsFile:
			if changed == nil {
				ev.Arrivals = parquetStream(path, file.Records, arrivalLayout())
			}
		case evidence.ConnectionsFile:
			if changed == nil {
				ev.Connections = parquetStream(path, file.Records, connectionLayout())
			}
		case evidence.FlowsFile:
			if changed == nil {
				ev.Flows = parquetStream(path, file.Records, flowLayout())
			}
		case evidence.EventsFile:
			if !errors.Is(changed, fs.ErrNotExist) {
				ev.readEvents(path, file.Records)
			}
		default:
			ev.addDamage(file.Name, fmt.Errorf("%s: unknown to this build, though %s lists it: use a newer Rollcall", file.Name, evidence.RunFile))
		}
	}
}

// readSegments reads the segments of a recording that was cut off.
func (ev *reading) readSegments(dir string) {
	var reached time.Duration
	hits, nHits, hitsErr := openSegment(filepath.Join(dir, hitsSegment), hitType(), func(h evidence.Hit) { reached = max(reached, h.End()) })
	arrivals, nArrivals, arrivalsErr := openSegment(filepath.Join(dir, arrivalsSegment), arrivalType(), func(evidence.Arrival) {})
	connections, nConnections, connectionsErr := openSegment(filepath.Join(dir, connectionsSegment), connectionType(),
		func(evidence.Connection) {})
	flows, nFlows, flowsErr := openSegment(filepath.Join(dir, flowsSegment), flowType(), func(evidence.Flow) {})
	var events []evidence.Event
	_, nEvents, eventsErr := openSegment(filepath.Join(dir, eventsSegment), eventType(), func(e evidence.Event) {
		reached = max(reached, e.At)
		events = append(events, withMessage(e))
	})
	ev.Hits, ev.Events = hits, inOrder(events)
	ev.addDamage(evidence.RunFile, fmt.Errorf("%s: the recording was cut off: it got to %s, with %d hits, %d arrivals and %d events",
		evidence.RunFile, reached.Round(time.Millisecond), nHits, nArrivals, nEvents))
	ev.addDamage(hitsSegment, hitsErr)
	if ev.Run.UserApp == nil { // else pods log no arrivals
		ev.Arrivals = arrivals
		ev.addDamage(arrivalsSegment, arrivalsErr)
	}
	if nConnections > 0 { // else no lane kept any
		ev.Connections = latest(connections)
		ev.addDamage(connectionsSegment, connectionsErr)
	}
	if nFlows > 0 { // else no observer listened to connections
		ev.Flows = flows
		ev.addDamage(flowsSegment, flowsErr)
	}
	ev.addDamage(eventsSegment, eventsErr)
}

func (ev *reading) readEvents(path string, count int) {
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		ev.Events, err = readEvents(f)
	}
	if err == nil && len(ev.Events) != count {
		err = fmt.Errorf("line %d: it is the last, %s says %d", len(ev.Events), evidence.RunFile, count)
	}
	if err != nil {
		ev.addDamage(filepath.Base(path), fmt.Errorf("%s: %w", filepath.Base(path), withoutPath(err)))
	}
}

// openSegment calls see with each record of a segment, and returns the stream of them, which opens the file anew, and their number.
func openSegment[R any](path string, of recordType[R], see func(R)) (records evidence.Stream[R], count int, damage error) {
	name := func(err error) error { return fmt.Errorf("%s: %w", filepath.Base(path), withoutPath(err)) }
	f, err := os.Open(path)
	if err != nil {
		return func(func(R, error) bool) {}, 0, name(err)
	}
	defer f.Close()
	found, count, err := scanSegment(f, of, see)
	return func(yield func(R, error) bool) {
		f, err := os.Open(path)
		if err == nil {
			defer f.Close()
			err = readExtents(f, found, of, yield)
		}
		if err != nil {
			var none R
			yield(none, name(err))
		}
	}, count, name(err)
}

// compareSum returns an error unless the file at path has the size and checksum that it was written with.
func compareSum(path string, file evidence.File) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Name, withoutPath(err))
	}
	defer f.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	if err != nil {
		return fmt.Errorf("%s: byte %d: %w", file.Name, size, withoutPath(err))
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	switch {
	case size < file.Bytes:
		return fmt.Errorf("%s: byte %d: it was cut off after it was recorded: %s says %d bytes", file.Name, size, evidence.RunFile, file.Bytes)
	case size > file.Bytes:
		return fmt.Errorf("%s: byte %d: it was added to after it was recorded: it has %d bytes", file.Name, file.Bytes, size)
	case sum != file.SHA256:
		return fmt.Errorf("%s: somewhere in its %d bytes it was changed after it was recorded: its SHA-256 is %.12s…, %s says %.12s…", file.Name,
			size, sum, evidence.RunFile, file.SHA256)
	default:
		return nil
	}
}
