package loadgen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/rollcall/harness/evidence/store"
)

const segmentSuffix = ".segment"

// hitsPerSegment is how many hits a segment has, about 1 MB.
const hitsPerSegment = 4096

// A segment is a file with hits of a lane, in the order in which they were added. The text of each line ([store.AppendLine]) is its
// kind, a space and
//
//	b  a segmentHead, first of all: the state before the segment
//	s  the number of a request that is about to be sent
//	h  a hit
//	t  the first trouble of the lane
type segment struct {
	path  string
	first int   // number of its first hit
	size  int64 // bytes
}

// A segmentHead is the state of a lane when a segment begins, so that the segments before it are only needed for their hits.
type segmentHead struct {
	First   int      `json:"first"`
	Unsent  uint64   `json:"unsent"`
	Ahead   []uint64 `json:"ahead,omitempty"`
	Open    []uint64 `json:"open,omitempty"`
	Trouble string   `json:"trouble,omitempty"`
}

func segmentPath(dir string, lane, first int) string {
	return filepath.Join(dir, fmt.Sprintf("%d-%012d%s", lane, first, segmentSuffix))
}

// segmentsOf lists the segments of a lane, ascending.
func segmentsOf(dir string, lane int) ([]segment, error) {
	paths, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("%d-*%s", lane, segmentSuffix)))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var found []segment
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		_, number, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), segmentSuffix), "-")
		first, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("%s is no segment", filepath.Base(path))
		}
		found = append(found, segment{path, first, info.Size()})
	}
	return found, nil
}

// A line of a segment.
type line struct {
	kind string
	text []byte
	end  int64 // offset after it
}

// lines passes whole lines from an offset on to take, until it wants no more.
func (s segment) lines(offset int64, take func(line) (more bool, err error)) error {
	file, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(file, 64<<10)
	for more := true; more; {
		text, size, err := store.ReadLine(in)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		offset += int64(size)
		if err == nil {
			kind, rest, _ := bytes.Cut(text, []byte(" "))
			more, err = take(line{string(kind), rest, offset})
		}
		if err != nil {
			return fmt.Errorf("%s before byte %d: %w", filepath.Base(s.path), offset, err)
		}
	}
	return nil
}

// A place is where a hit is.
type place struct {
	hit    int // its number
	path   string
	offset int64
}

// hits returns at most so many hits of a segment, as JSON, and the place of the next one. It begins at a place, or looks for the
// place's number if that is in another segment.
func (s segment) hits(from place, most int) (hits []json.RawMessage, next place, err error) {
	number, offset := s.first, int64(0)
	if from.path == s.path {
		number, offset = from.hit, from.offset
	}
	err = s.lines(offset, func(l line) (more bool, err error) {
		switch {
		case l.kind != "h":
		case number < from.hit:
			number++
		default:
			number++
			hits, next = append(hits, l.text), place{number, s.path, l.end}
		}
		return len(hits) < most, nil
	})
	return hits, next, err
}
