package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// Names of the files that have the records during a recording.
const (
	hitsSegment        = "hits.segment"
	arrivalsSegment    = "arrivals.segment"
	connectionsSegment = "connections.segment"
	flowsSegment       = "flows.segment"
	eventsSegment      = "events.segment"
)

// mostWaiting is the most records of a lane that wait to be written.
const mostWaiting = 4096

// A segment is a log that grows as records come in. Those that are written at once are of one lane, so that a lane can be read alone.
type segment[R any] struct {
	recordType[R]

	mu      sync.Mutex
	file    *os.File
	waiting map[string][]R // by lane
	log     []byte         // of a lane that is being written; only its memory is kept
	found   extents
	size    int64
	records int
	err     error       // the first error; nothing is written after it
	failed  func(error) // called with it
}

// createSegment refuses a file that exists: evidence is never overwritten.
func createSegment[R any](path string, of recordType[R], failed func(error)) (*segment[R], error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	return &segment[R]{recordType: of, file: file, waiting: make(map[string][]R), found: make(extents), failed: failed}, nil
}

func (s *segment[R]) add(records ...R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		if !s.possible(r) {
			return
		}
		lane := s.key(r).lane
		if s.waiting[lane] = append(s.waiting[lane], r); len(s.waiting[lane]) == mostWaiting {
			s.write(lane)
		}
	}
}

// addLogged adds records of a lane that were logged elsewhere, as they are there.
func (s *segment[R]) addLogged(log []byte, records []R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		if !s.possible(r) {
			return
		}
	}
	s.append(log, records)
}

// possible reports whether a record can be; else the segment fails.
func (s *segment[R]) possible(r R) bool {
	err := s.check(r)
	if err != nil {
		s.fail(fmt.Errorf("record %+v: %w", r, err))
	}
	return err == nil
}

// flush writes the waiting records of all lanes.
func (s *segment[R]) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, lane := range slices.Sorted(maps.Keys(s.waiting)) {
		s.write(lane)
	}
}

// end writes the waiting records.
func (s *segment[R]) end() error {
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// close does nothing for a segment that could not be created.
func (s *segment[R]) close() {
	if s != nil {
		s.file.Close()
	}
}

func (s *segment[R]) write(lane string) {
	s.log = s.log[:0]
	for _, r := range s.waiting[lane] {
		s.log = s.appendTo(s.log, r)
	}
	s.append(s.log, s.waiting[lane])
	s.waiting[lane] = s.waiting[lane][:0]
}

func (s *segment[R]) append(log []byte, records []R) {
	if s.err != nil || len(log) == 0 {
		return
	}
	note(s.found, s.size, int64(len(log)), records, s.recordType)
	n, err := s.file.Write(log)
	if err != nil {
		s.fail(withoutPath(err))
	}
	s.size, s.records = s.size+int64(n), s.records+len(records)
}

func (s *segment[R]) fail(err error) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %w", filepath.Base(s.file.Name()), err)
		s.failed(s.err)
	}
}

// stream returns the records of a segment that has ended, by lane and number.
func (s *segment[R]) stream() evidence.Stream[R] {
	return func(yield func(R, error) bool) {
		if err := readExtents(s.file, s.found, s.recordType, yield); err != nil {
			var none R
			yield(none, fmt.Errorf("%s: %w", filepath.Base(s.file.Name()), err))
		}
	}
}

// scanSegment reads the records of a recording that was cut off, in the order recorded, and calls see with each. It returns where
// they are and how many. The error, which there always is, names the byte at which the records end or the first frame begins that is
// not whole.
func scanSegment[R any](r io.Reader, of recordType[R], see func(R)) (found extents, count int, err error) {
	found = make(extents)
	var at, noted int64
	for f, err := range framelog.ReadFrom(bufio.NewReaderSize(r, 64<<10)) {
		var r R
		var has bool
		if err == nil {
			r, has, err = of.decode(f)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("it is cut off in the frame that begins here, %d bytes into it", len(f.Line))
		}
		if err != nil {
			return found, count, fmt.Errorf("byte %d: %w", at, err)
		}
		at += int64(len(f.Line))
		if !has {
			continue // it is noted with the next
		}
		note(found, noted, at-noted, []R{r}, of)
		noted, count = at, count+1
		see(r)
	}
	return found, count, fmt.Errorf("byte %d: it ends here, unfinished", at)
}
