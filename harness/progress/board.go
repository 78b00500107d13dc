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
)

// A Board keeps the status of a run for all who work on it. Its methods are safe for concurrent use. That the file
// cannot be written keeps nobody from working; Err tells.
type Board struct {
	file string

	mu     sync.Mutex
	status Status
	err    error // the last write's
}

// Open takes up the status in a run folder, or begins one. What a process that is gone left running there is
// forgotten.
func Open(folder, run string, began time.Time) (*Board, error) {
	b := &Board{file: filepath.Join(folder, File)}
	data, err := os.ReadFile(b.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b.status = Status{Run: run, Began: began}
	case err != nil:
		return nil, fmt.Errorf("progress: %w", err)
	default:
		if err := json.Unmarshal(data, &b.status); err != nil {
			return nil, fmt.Errorf("progress: read %s: %w", b.file, err)
		}
	}
	b.status.Schema, b.status.Running = SchemaVersion, nil
	return b, nil
}

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

// Begin puts a scenario on the board.
func (b *Board) Begin(name Name) *Entry {
	e := &Entry{board: b, name: name}
	b.change(func() {
		b.status.Doing = ""
		b.status.Running = append(b.status.Running, Running{Name: name, Began: time.Now()})
	})
	return e
}

// An Entry is one scenario's on a board.
type Entry struct {
	board *Board
	name  Name
}

// Tell says how far the scenario is, and gives the line for a person. Of now, Phase, Sent, Failed, Replies and Trouble
// are taken.
func (e *Entry) Tell(now Running) (line string) {
	e.board.change(func() {
		i := slices.IndexFunc(e.board.status.Running, func(r Running) bool { return r.Name == e.name })
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
func (e *Entry) End(outcome, because string) {
	e.board.change(func() {
		s := &e.board.status
		i := slices.IndexFunc(s.Running, func(r Running) bool { return r.Name == e.name })
		if i < 0 {
			return
		}
		took := time.Since(s.Running[i].Began).Seconds()
		s.Running = slices.Delete(s.Running, i, i+1)
		s.Ended = append(s.Ended, Ended{Name: e.name, Outcome: outcome, Because: because, Seconds: took})
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
	data, err := json.MarshalIndent(b.status, "", "  ")
	if err != nil {
		return fmt.Errorf("progress: %w", err)
	}
	fresh := b.file + ".new"
	if err := os.WriteFile(fresh, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("progress: %w", err)
	}
	if err := os.Rename(fresh, b.file); err != nil {
		return fmt.Errorf("progress: %w", err)
	}
	return nil
}
