package conformance

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// prefixed puts the lines of several writers into one, each line whole and with the name of who wrote it.
type prefixed struct {
	mu sync.Mutex
	to io.Writer
}

// as is the writer of one of them.
func (p *prefixed) as(name string) *source { return &source{into: p, name: name} }

type source struct {
	into *prefixed
	name string
	rest []byte // of a line that is not whole yet
}

// Write keeps what follows the last line end until that line is whole.
func (s *source) Write(text []byte) (int, error) {
	s.into.mu.Lock()
	defer s.into.mu.Unlock()
	s.rest = append(s.rest, text...)
	for {
		line, rest, whole := bytes.Cut(s.rest, []byte("\n"))
		if !whole {
			return len(text), nil
		}
		if _, err := fmt.Fprintf(s.into.to, "%s | %s\n", s.name, line); err != nil {
			return 0, err
		}
		s.rest = rest
	}
}

// Close writes a last line that was never whole.
func (s *source) Close() error {
	if len(s.rest) == 0 {
		return nil
	}
	_, err := s.Write([]byte("\n"))
	return err
}
