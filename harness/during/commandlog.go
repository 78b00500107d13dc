package during

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// commandFile, in the run folder, has what the command printed, each line with its time.
const commandFile = "command.log"

// A commandLog writes the lines of several streams, each with the time of its first byte.
type commandLog struct {
	mu sync.Mutex
	to io.Writer
}

// A stream is an input of a commandLog.
type stream struct {
	log   *commandLog
	name  string
	line  []byte // the last line, without its end yet
	began time.Time
}

func (l *commandLog) stream(name string) *stream { return &stream{log: l, name: name} }

// Write never fails: an error of the log must not stop the command.
func (s *stream) Write(text []byte) (int, error) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	for rest := text; len(rest) > 0; {
		if len(s.line) == 0 {
			s.began = time.Now()
		}
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		s.line, rest = append(s.line, line...), after
		if ended {
			s.write()
		}
	}
	return len(text), nil
}

// end writes a last line without a line break.
func (s *stream) end() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if len(s.line) > 0 {
		s.write()
	}
}

func (s *stream) write() {
	fmt.Fprintf(s.log.to, "%s %s %s\n", s.began.UTC().Format("2006-01-02T15:04:05.000Z"), s.name, s.line)
	s.line = nil
}

// A tee writes to all its writers and ignores their errors: a terminal that is gone must not stop the command.
type tee []io.Writer

func (t tee) Write(text []byte) (int, error) {
	for _, to := range t {
		_, _ = to.Write(text)
	}
	return len(text), nil
}
