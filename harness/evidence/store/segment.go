package store

import (
	"bufio"
	"errors"
	"example.com/rollcall/harness/evidence"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Names of the files that have the records during a recording.
const (
	hitsSegment     = "hits.segment"
	arrivalsSegment = "arrivals.segment"
	flowsSegment    = "flows.segment"
	eventsSegment   = "events.segment"
)

// frameRecords is the most records in a frame.
const frameRecords = 4096

// A segment is a file of frames that grows as records come in. The records of a frame are of one
// lane, so that a lane can be read alone.
type segment[R any] struct {
	recordType[R]

	mu      sync.Mutex
	file    *os.File
	waiting map[string][]R // by lane
	frames  frames
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
	return &segment[R]{recordType: of, file: file, waiting: make(map[string][]R), frames: make(frames), failed: failed}, nil
}

func (s *segment[R]) add(records ...R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		if err := s.check(r); err != nil {
			s.fail(fmt.Errorf("record %+v: %w", r, err))
			return
		}
		lane := s.key(r).lane
		if s.waiting[lane] = append(s.waiting[lane], r); len(s.waiting[lane]) == frameRecords {
			s.write(lane)
		}
	}
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
	records := s.waiting[lane]
	if len(records) == 0 {
		return
	}
	note(s.frames, s.size, records, s.recordType)
	if s.err == nil {
		if err := WriteFrame(&meter{s.file, &s.size}, Frame[R]{First: s.records, Records: records}); err != nil {
			s.fail(withoutPath(err))
		}
	}
	s.records += len(records)
	s.waiting[lane] = records[:0]
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
		if err := readFrames(s.file, s.size, s.frames, s.recordType, yield); err != nil {
			var none R
			yield(none, fmt.Errorf("%s: %w", filepath.Base(s.file.Name()), err))
		}
	}
}

// scanSegment reads the records of a recording that was cut off, in the order recorded, and calls see with each. It returns where their
// frames are and how many records there are. The error, which there always is, names the byte at which the records end or the first frame
// begins that is not whole or out of order.
func scanSegment[R any](r io.Reader, of recordType[R], see func(R)) (at frames, size int64, records int, err error) {
	in, at := bufio.NewReader(r), make(frames)
	for {
		f, n, err := ReadFrame[R](in)
		switch {
		case errors.Is(err, io.EOF):
			err = errors.New("it ends here, unfinished")
		case errors.Is(err, io.ErrUnexpectedEOF):
			err = fmt.Errorf("it is cut off in the frame that begins here, %d bytes into it", n)
		case err != nil:
		case f.First != records:
			err = fmt.Errorf("%w: record %d is next, this frame begins with %d", ErrDamaged, records, f.First)
		default:
			err = checkAll(f, of)
		}
		if err != nil {
			return at, size, records, fmt.Errorf("byte %d: %w", size, err)
		}
		note(at, size, f.Records, of)
		for _, r := range f.Records {
			see(r)
		}
		records, size = records+len(f.Records), size+int64(n)
	}
}

func checkAll[R any](f Frame[R], of recordType[R]) error {
	for i, r := range f.Records {
		if err := of.check(r); err != nil {
			return fmt.Errorf("%w: record %d: %w", ErrDamaged, f.First+i, err)
		}
	}
	return nil
}

// A meter adds the number of bytes written to n.
type meter struct {
	writer io.Writer
	n      *int64
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.writer.Write(p)
	*m.n += int64(n)
	return n, err
}
