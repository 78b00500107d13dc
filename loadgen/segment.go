package loadgen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/rollcall/harness/evidence"
)

const segmentSuffix = ".segment"

// segmentBytes is about how long a segment gets.
const segmentBytes = 1 << 20

// A segment is a file with a part of a lane's log. Its first frame is a segmentHead.
type segment struct {
	path  string
	first int64 // position in the log
	size  int64 // bytes
}

// A segmentHead is the state of a lane when a segment begins, so that the segments before it are only needed for their records.
type segmentHead struct {
	Unsent      uint64                `json:"unsent"`
	Ahead       []uint64              `json:"ahead,omitempty"`
	Open        []uint64              `json:"open,omitempty"`
	Connections []evidence.Connection `json:"connections,omitempty"` // without an end
	Numbered    uint32                `json:"numbered,omitempty"`    // the highest number of a connection
	Trouble     string                `json:"trouble,omitempty"`
}

func segmentPath(dir string, lane int, first int64) string {
	return filepath.Join(dir, fmt.Sprintf("%d-%015d%s", lane, first, segmentSuffix))
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
		first, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not a segment", filepath.Base(path))
		}
		found = append(found, segment{path, first, info.Size()})
	}
	return found, nil
}

// end returns the position after it.
func (s segment) end() int64 { return s.first + s.size }

// read returns about RangeBytes of whole frames from a position on.
func (s segment) read(at int64) ([]byte, error) {
	file, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	log := make([]byte, s.end()-at)
	if _, err := file.ReadAt(log, at-s.first); err != nil {
		return nil, err
	}
	if i := bytes.IndexByte(log[min(RangeBytes, len(log)):], '\n'); i >= 0 {
		log = log[:RangeBytes+i+1]
	}
	return log, nil
}
