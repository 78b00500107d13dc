package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"example.com/rollcall/harness/evidence"
)

// flushEvery is half of the second of records that a killed process may lose; the other half is for fetching
// records from agents.
const flushEvery = 500 * time.Millisecond

// A Recorder writes one scenario's folder during its recording. It may be used concurrently.
//
// Records are handed to the operating system every half second, so that a killed process
// loses no more than that; they are not synced to the disk, so a machine that loses power may lose
// more. Either way [Read] notices that the recording was cut off.
type Recorder struct {
	dir         string
	hits        *segment[evidence.Hit]
	arrivals    *segment[evidence.Arrival]
	connections *segment[evidence.Connection]
	flows       *segment[evidence.Flow]
	events      *segment[evidence.Event]

	whole   context.Context // ends with the first error of a segment
	ended   atomic.Bool
	stop    chan struct{}
	stopped chan struct{} // closed when the goroutine that flushes has ended
}

// Record makes the folder dir and begins a recording in it. It refuses a folder that has a run.
// The caller ends the Recorder with Finish or Abort.
func Record(dir string, run evidence.Run) (*Recorder, error) {
	if err := begin(dir); err != nil {
		return nil, err
	}
	r := &Recorder{dir: dir, stop: make(chan struct{}), stopped: make(chan struct{})}
	var failed context.CancelCauseFunc
	r.whole, failed = context.WithCancelCause(context.Background())
	var errs [5]error
	r.hits, errs[0] = createSegment(filepath.Join(dir, hitsSegment), hitType(), failed)
	r.arrivals, errs[1] = createSegment(filepath.Join(dir, arrivalsSegment), arrivalType(), failed)
	r.flows, errs[2] = createSegment(filepath.Join(dir, flowsSegment), flowType(), failed)
	r.events, errs[3] = createSegment(filepath.Join(dir, eventsSegment), eventType(), failed)
	r.connections, errs[4] = createSegment(filepath.Join(dir, connectionsSegment), connectionType(), failed)
	err := cmp.Or(errs[:]...)
	if err == nil {
		err = r.Update(run)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	go r.flush()
	return r, nil
}

// Update replaces the run given to Record when more is known, so that a recording that is cut off
// can be read with its lanes and clocks.
func (r *Recorder) Update(run evidence.Run) error {
	run.Schema, run.Files = evidence.SchemaVersion, nil
	return WriteJSON(filepath.Join(r.dir, evidence.RunFile), run)
}

// Failed returns a channel that is closed at the first error of Hits, Arrivals, Connections, Flows or Event, which Err returns: the file
// that it names gets no more records. Finish returns it too.
func (r *Recorder) Failed() <-chan struct{} { return r.whole.Done() }

// Err returns the error that closed Failed, or nil.
func (r *Recorder) Err() error { return context.Cause(r.whole) }

// Hits records hits, in any order. After Finish nothing is recorded.
func (r *Recorder) Hits(hits ...evidence.Hit) { r.hits.add(hits...) }

// LoggedHits records hits of a lane as an agent logged them ([framelog.ReadFrom]), at once.
func (r *Recorder) LoggedHits(log []byte, hits []evidence.Hit) { r.hits.addLogged(log, hits) }

// Arrivals records arrivals, in any order.
func (r *Recorder) Arrivals(arrivals ...evidence.Arrival) { r.arrivals.add(arrivals...) }

// Connections records connections, in any order; one may be recorded again with more.
func (r *Recorder) Connections(connections ...evidence.Connection) { r.connections.add(connections...) }

// Flows records flows, in any order.
func (r *Recorder) Flows(flows ...evidence.Flow) { r.flows.add(flows...) }

// Event records an event.
func (r *Recorder) Event(e evidence.Event) { r.events.add(e) }

// Finish writes the streams in their final form and replaces the run given to Record. If it or the
// recording failed, the folder stays that of a recording that was cut off, with the run if that can be written.
func (r *Recorder) Finish(run evidence.Run) error {
	if !r.end() {
		return fmt.Errorf("evidence: finish %s: it has ended before", r.dir)
	}
	defer r.close()
	if err := errors.Join(r.hits.end(), r.arrivals.end(), r.connections.end(), r.flows.end(), r.events.end()); err != nil {
		_ = r.Update(run) // the disk may be full
		return fmt.Errorf("evidence: record %s: %w", r.dir, err)
	}
	events, err := r.events.stream().All()
	if err != nil {
		return fmt.Errorf("evidence: finish %s: %w", r.dir, err)
	}
	whole := evidence.Evidence{Run: run, Hits: r.hits.stream(), Arrivals: r.arrivals.stream(), Events: events}
	if run.UserApp != nil {
		whole.Arrivals = nil
	}
	if r.connections.records > 0 {
		whole.Connections = latest(r.connections.stream())
	}
	if r.flows.records > 0 {
		whole.Flows = r.flows.stream()
	}
	if err := write(r.dir, whole); err != nil {
		return err
	}
	for _, name := range []string{hitsSegment, arrivalsSegment, connectionsSegment, flowsSegment, eventsSegment} {
		if err := os.Remove(filepath.Join(r.dir, name)); err != nil {
			return fmt.Errorf("evidence: finish %s: %w", r.dir, err)
		}
	}
	return nil
}

// Abort ends the recording as it is: the folder stays that of a recording that was cut off.
// After Finish it does nothing.
func (r *Recorder) Abort() {
	if r.end() {
		r.flushAll()
		r.close()
	}
}

// end stops the flushing; it returns false if that was done before.
func (r *Recorder) end() bool {
	if r.ended.Swap(true) {
		return false
	}
	close(r.stop)
	<-r.stopped
	return true
}

func (r *Recorder) flush() {
	defer close(r.stopped)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.flushAll()
		case <-r.stop:
			return
		}
	}
}

func (r *Recorder) flushAll() {
	r.hits.flush()
	r.arrivals.flush()
	r.connections.flush()
	r.flows.flush()
	r.events.flush()
}

func (r *Recorder) close() {
	r.hits.close()
	r.arrivals.close()
	r.connections.close()
	r.flows.close()
	r.events.close()
}

// begin makes a folder for a run, and refuses a folder that has one.
func begin(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	switch _, err := os.Lstat(filepath.Join(dir, evidence.RunFile)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("evidence: %w", err)
	default:
		return fmt.Errorf("evidence: %s already holds a run", dir)
	}
}

// SetDuration sets the length, clean-up included, of the recording in dir, which has ended.
func SetDuration(dir string, length time.Duration) error {
	var run evidence.Run
	file := filepath.Join(dir, evidence.RunFile)
	if err := ReadJSON(file, &run); err != nil {
		return err
	}
	run.Length = length
	return WriteJSON(file, run)
}
