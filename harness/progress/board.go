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

// A Board keeps the status of a run for all who work on it. Its methods are safe for concurrent use. That the file
// cannot be written keeps nobody from working; Err says so.
type Board struct {
	file string // empty: it is not written

	mu     sync.Mutex
	status Status
	err    error // the last write's
}

// Open takes up the status in a run folder, or begins one. What a process that is gone left running there is forgotten.
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

// Discard is a board that nobody reads.
func Discard() *Board { return &Board{} }

// Expect says which scenarios are to come, and how long they took last time.
func (b *Board) Expect(expected []Expected) {
	b.change(func() { b.status.Expected = expected })
}

// Do says what goes on while no scenario is under way.
func (b *Board) Do(what string) {
	b.change(func() { b.status.Doing = what })
}

// Err is why the file could not be written last; nil if it could.
func (b *Board) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Estimate is how long a scenario took last time; else it is what is given.
func (b *Board) Estimate(name Name, otherwise time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if last, known := b.status.lastTime(name); known {
		return time.Duration(last * float64(time.Second))
	}
	return otherwise
}

// Entry is that of a scenario which is not under way yet.
func (b *Board) Entry(name Name) *Entry { return &Entry{board: b, name: name} }

// Begin puts the scenario on the board, unless it is there. That it waited since Pause does not count.
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

// Pause says that the scenario waits for its turn to be recorded again, unless it ends.
func (e *Entry) Pause() { e.board.change(func() { e.paused = time.Now() }) }

// An Entry is one scenario's on a board.
type Entry struct {
	board  *Board
	name   Name
	paused time.Time
}

// Update says how far the scenario is, and gives the line for a person. It uses Phase, Sent, Failed,
// Replies and Trouble of now.
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

// End takes the scenario off the board and notes its verdict.
func (e *Entry) End(result Result) {
	e.board.change(func() {
		s := &e.board.status
		took := 0.0 // of one that never began
		if i := s.running(e.name); i >= 0 {
			took = time.Since(s.Running[i].Began).Seconds()
			s.Running = slices.Delete(s.Running, i, i+1)
		}
		s.Ended = append(s.Ended, Ended{Name: e.name, Result: result, Seconds: took})
	})
}

// change changes the status and writes it.
func (b *Board) change(edit func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	edit()
	b.status.age(time.Now())
	b.err = b.write()
}

// write replaces the file as a whole, so that a reader never sees half of it.
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
