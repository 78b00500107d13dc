package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/sharedfile"
)

// SpoolLimit is how many bytes a spool holds: about an hour and a half of three lanes at 100 requests per second.
const SpoolLimit = 448 << 20

// Files of a spool, beside the segments of its lanes.
const (
	orderFile = "order.json"
	stateFile = "state.json"
)

// A spool is a folder on a disk in which an agent keeps its order and its hits, so that its next process continues after its
// container or its node restarted. Nothing is synced to the disk: what was written survives a process that is killed, and a node
// that shuts down writes it.
type spool struct {
	dir   string
	limit int64
	used  atomic.Int64 // bytes of the segments
}

// A spooledOrder is the order that the agent was given.
type spooledOrder struct {
	Instance string       `json:"instance"` // of the process that was given it
	Boot     string       `json:"boot"`     // of the kernel it ran on
	Began    time.Time    `json:"began"`    // when its load began
	Order    startRequest `json:"order"`
	Sealed   []byte       `json:"sealed,omitempty"` // what the order lacks, encrypted
}

// A spoolState is the state of an agent that changes while it loads, except for the hits.
type spoolState struct {
	Fetched  int64              `json:"asked"`             // about when its hits were last asked for, in Unix nanoseconds
	Stopped  bool               `json:"stopped,omitempty"` // it was told to stop
	Absences []evidence.Absence `json:"absences,omitempty"`
	Noted    []evidence.Event   `json:"noted,omitempty"`
}

// openSpool makes the folder, or reads what an earlier process left in it; the order is nil if that process was given none.
func openSpool(dir string, limit int64) (s *spool, order *spooledOrder, state spoolState, err error) {
	s = &spool{dir: dir, limit: limit}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, state, err
	}
	order = &spooledOrder{}
	switch err := s.read(orderFile, order); {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil, state, s.clear()
	case err != nil:
		return nil, nil, state, err
	}
	err = s.read(stateFile, &state)
	return s, order, state, err
}

// clear removes segments without an order, of a process that ended before it wrote one.
func (s *spool) clear() error {
	files, err := filepath.Glob(filepath.Join(s.dir, "*"+segmentSuffix))
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

func (s *spool) read(name string, into any) error {
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// write replaces a file whole or not at all.
func (s *spool) write(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return sharedfile.Write(filepath.Join(s.dir, name), text, 0o644)
}

// bootID returns the kernel's id of this boot; empty if unknown.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
