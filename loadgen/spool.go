package loadgen

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

// DefaultSpoolLimit is how many bytes a spool holds: about an hour and a half of three lanes at 100 requests per second.
const DefaultSpoolLimit = 448 << 20

// Files of a spool, beside the segments of its lanes.
const (
	orderFile = "order.json"
	stateFile = "state.json"
)

// A spool is a folder on a disk in which an agent keeps what it was told and what it saw, so that its next process goes on where
// it stopped: when its container starts again, or its node. Nothing is forced to the disk, for what was written outlives a process
// that is killed, and a node that is shut down writes it.
type spool struct {
	dir   string
	limit int64
	used  atomic.Int64 // bytes of the segments
}

// A spooledOrder is what the agent was told.
type spooledOrder struct {
	Instance string       `json:"instance"` // of the process that was told it
	Boot     string       `json:"boot"`     // of the kernel it ran on
	Order    startRequest `json:"order"`
	UserHTTP []byte       `json:"sealed_user_http,omitempty"` // of the order, which has none then
}

// A spoolState is what of an agent changes while it loads, but for the hits.
type spoolState struct {
	Asked    int64              `json:"asked"`             // when its hits were last asked for, about, in Unix nanoseconds
	Stopped  bool               `json:"stopped,omitempty"` // it was told to stop
	Absences []evidence.Absence `json:"absences,omitempty"`
	Noted    []evidence.Event   `json:"noted,omitempty"`
}

// openSpool makes the folder, or finds what an earlier process left in it; the order is nil if that was told nothing.
func openSpool(dir string, limit int64) (s *spool, order *spooledOrder, state spoolState, err error) {
	if limit == 0 {
		limit = DefaultSpoolLimit
	}
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

// clear removes the segments of an order that was never given.
func (s *spool) clear() error {
	files, err := filepath.Glob(filepath.Join(s.dir, "*"+segmentSuffix))
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

func (s *spool) read(name string, into any) error {
	return store.ReadJSON(filepath.Join(s.dir, name), into)
}

// write replaces a file whole or not at all.
func (s *spool) write(name string, value any) error {
	return store.WriteJSON(filepath.Join(s.dir, name), value)
}

// bootID tells boots of this kernel apart; empty where it is not known.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
