package progress

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"example.com/rollcall/harness/sharedfile"
)

// A Board keeps the status of a run. Its methods are safe for concurrent use. If the file cannot be written the run goes
// on, and Err returns why.
type Board struct {
	file string // empty: it is not written

	mu     sync.Mutex
	status Status
	err    error // of the last write
}

// Open reads the status in a run folder, or begins one. Scenarios that an earlier process left running there are dropped.
func Open(folder, run string, began time.Time) (*Board, error) {
	b := &Board{file: filepath.Join(folder, File)}
	if _, err := os.Stat(b.file); errors.Is(err, fs.ErrNotExist) {
		b.status = Status{Run: run, Began: began, Ended: []Ended{}}
	} else if b.status, err = Read(b.file); err != nil {
		return nil, err
	}
	b.status.Schema, b.status.Running = SchemaVersion, []Running{}
	return b, nil
}

// Discard returns a board without a file.
func Discard() *Board { return &Board{} }

// Expect sets which scenarios will run, and how long they took last time.
func (b *Board) Expect(expected []Expected) {
	b.change(func() { b.status.Expected = expected })
}

// Do sets what is done while no scenario is under way.
func (b *Board) Do(what string) {
	b.change(func() { b.status.Doing = what })
}

// Err returns the error of the last write of the file.
func (b *Board) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Estimate returns how long a scenario took last time, or otherwise if that is not known.
func (b *Board) Estimate(name Name, otherwise time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if last, known := b.status.lastTime(name); known {
		return time.Duration(last * float64(time.Second))
	}
	return otherwise
}

// Entry returns the entry of a scenario, which Begin puts on the board.
func (b *Board) Entry(name Name) *Entry { return &Entry{board: b, name: name} }

// Begin puts the scenario on the board, if it is not there. The time since Pause does not count for its duration.
func (e *Entry) Begin() {
	e.board.change(func() {
		s := &e.board.status
		s.Doing = ""
		if i := s.running(e.name); i < 0 {
			s.Running = append(s.Running, Running{Name: e.name, Began: time.Now()})
		} else if !e.paused.IsZero() {
			s.Running[i].Began = s.Running[i].Began.Add(time.Since(e.paused))
		}
		e.paused = time.Time{}
	})
}

// Pause is called when a recording has ended. The scenario may wait for another turn then.
func (e *Entry) Pause() { e.board.change(func() { e.paused = time.Now() }) }

// An Entry is the entry of a scenario on a board.
type Entry struct {
	board  *Board
	name   Name
	paused time.Time
}

// Update sets Phase, Sent, Failed, Replies and Trouble of the scenario to those of now, and returns its line
// for people.
func (e *Entry) Update(now Running) (line string) {
	e.board.change(func() {
		i := e.board.status.running(e.name)
		if i < 0 {
			return
		}
		r := &e.board.status.Running[i]
		r.Phase, r.Sent, r.Failed, r.Replies, r.Trouble = now.Phase, now.Sent, now.Failed, now.Replies, now.Trouble
		e.board.status.age(time.Now())
		line = r.Line()
	})
	return line
}

// End moves the scenario to those that have ended, with its verdict.
func (e *Entry) End(result Result) {
	e.board.change(func() {
		s := &e.board.status
		took := 0.0 // if it never began
		if i := s.running(e.name); i >= 0 {
			took = time.Since(s.Running[i].Began).Seconds()
			s.Running = slices.Delete(s.Running, i, i+1)
		}
		s.Ended = append(s.Ended, Ended{Name: e.name, Result: result, Seconds: took})
	})
}

// change edits the status and writes the file.
func (b *Board) change(edit func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	edit()
	b.status.age(time.Now())
	b.err = b.write()
}

// write replaces the file atomically.
func (b *Board) write() error {
	if b.file == "" {
		return nil
	}
	data, err := json.MarshalIndent(b.status, "", "  ")
	if err != nil {
		return fmt.Errorf("progress: %w", err)
	}
	if err := sharedfile.Write(b.file, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("progress: %w", err)
	}
	return nil
}
