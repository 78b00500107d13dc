package during

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// A screen is where a recorder prints: into the log of its run folder and, where it has one, to a terminal.
type screen struct {
	terminal, errors io.Writer // a terminal's, or nowhere
	log              io.Writer

	mu    sync.Mutex
	quiet atomic.Bool // the terminal is the command's; only what we say ourselves is printed there
}

// to has a terminal take the place of the one before.
func (s *screen) to(terminal io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.terminal = terminal
}

// Write takes all that is printed about the recording.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.quiet.Load() {
		_, _ = s.terminal.Write(text)
	}
	_, _ = s.log.Write(text)
	return len(text), nil
}

// say prints a line for whoever does the maintenance.
func (s *screen) say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(tee{s.terminal, s.log}, line)
}
