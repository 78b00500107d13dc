package during

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"example.com/rollcall/harness/verdict/phrase"
)

// A screen is where a recorder prints: the log of its run folder, and a terminal if there is one.
type screen struct {
	terminal, errors io.Writer // of a terminal, or [io.Discard]
	log              io.Writer

	mu    sync.Mutex
	quiet atomic.Bool // the terminal is the command's: of the recorder only lines of say are printed there
}

// to replaces the terminal.
func (s *screen) to(terminal io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.terminal = terminal
}

// Write prints output of the recording.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.quiet.Load() {
		_, _ = s.terminal.Write(text)
	}
	_, _ = s.log.Write(text)
	return len(text), nil
}

// say prints a line for the person who does the maintenance, even while the command runs.
func (s *screen) say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(tee{s.terminal, s.log}, phrase.PrintableLines(line))
}
