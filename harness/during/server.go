package during

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Paths of the requests over HTTP that a recorder serves. It rejects one with status 409 and the reason.
const (
	markVerb   = "mark"   // the maintenance has reached a step, which the body names
	steadyVerb = "steady" // whether the load is steady
	endVerb    = "end"    // the maintenance is over; the body of the answer has what is printed until the recorder ends
)

// codeTrailer is the trailer of the answer to endVerb that has the exit code.
const codeTrailer = "Exit-Code"

// A server receives the requests of other processes to a recorder.
type server struct {
	folder string
	http   http.Server
	screen *screen

	end  chan struct{} // closed when the end was requested
	over chan struct{} // closed when the recorder has ended
	code int           // exit code, once over is closed

	mu          sync.Mutex
	mark        func(text string) // records a step; nil until the load is steady
	rejection   error             // why marks and the end are rejected; nil: they are accepted
	endAccepted bool
	ended       bool // without a request
	ends        bool // the end may be requested
}

// serve begins to listen in a run folder. ends is false for a recording of a command, which ends with the command. What the screen prints
// after a request of the end goes to its sender.
func serve(folder string, ends bool, screen *screen) (*server, error) {
	s := &server{folder: folder, screen: screen, ends: ends, end: make(chan struct{}), over: make(chan struct{}), rejection: errNotSteady}
	listener, err := listen(folder)
	if err != nil {
		return nil, fmt.Errorf("listen in the run folder: %w", err)
	}
	told := http.NewServeMux()
	told.HandleFunc("/"+markVerb, s.handleMark)
	told.HandleFunc("/"+steadyVerb, s.handleSteady)
	told.HandleFunc("/"+endVerb, s.handleEnd)
	s.http = http.Server{Handler: told, ReadHeaderTimeout: callTimeout}
	go s.http.Serve(listener) //nolint:errcheck // only says that it was closed
	return s, nil
}

// errEnded is the answer to a request of the end that came too late, as after a deadline: the recorder's connection closes when it is gone,
// and what it recorded is reported again.
var errEnded = errors.New("the recording has ended by itself")

// errNotSteady is why requests are rejected before the load is steady.
var errNotSteady = errors.New("the load is not steady yet")

// close answers those who wait for the end with the exit code, and stops listening.
func (s *server) close(code int) error {
	s.code = code
	close(s.over)
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	closed := s.http.Shutdown(ctx) // waits until all have their answers
	err := os.Remove(filepath.Join(s.folder, socketFile))
	if errors.Is(err, fs.ErrNotExist) { // the folder was removed
		err = nil
	}
	return errors.Join(closed, err)
}

// steadyNow accepts marks and the end from now on.
func (s *server) steadyNow(mark func(string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark, s.rejection = mark, nil
}

// endedNow rejects marks from now on. A later request of the end gets no answer.
func (s *server) endedNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejection, s.ended = errors.New("the maintenance is over"), !s.endAccepted
}

func (s *server) handleMark(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = cmp.Or(err, checkMark(string(text)), s.rejection); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	s.mark(string(text))
}

func (s *server) handleSteady(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mark == nil {
		http.Error(w, errNotSteady.Error(), http.StatusConflict)
	}
}

func (s *server) handleEnd(w http.ResponseWriter, r *http.Request) {
	err := s.acceptEnd(w)
	if errors.Is(err, errEnded) {
		select {
		case <-s.over:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	select {
	case <-s.over:
		w.Header().Set(http.TrailerPrefix+codeTrailer, strconv.Itoa(s.code))
	case <-r.Context().Done(): // the client is gone
	}
	s.screen.to(io.Discard)
}

func (s *server) acceptEnd(by http.ResponseWriter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.ends:
		return errors.New("it ends with its command")
	case s.endAccepted:
		return errors.New("its end was requested already")
	case s.ended:
		return errEnded
	case s.rejection != nil:
		return s.rejection
	}
	s.endAccepted = true
	_, _ = flushed{by}.Write(nil) // sends the status at once
	s.screen.to(flushed{by})
	close(s.end)
	return nil
}

// A flushed sends at once what is written to an answer.
type flushed struct{ to http.ResponseWriter }

func (f flushed) Write(text []byte) (int, error) {
	n, err := f.to.Write(text)
	return n, errors.Join(err, http.NewResponseController(f.to).Flush())
}

// longestMark is the longest mark, in bytes, that fits on a line of the page.
const longestMark = 200

func checkMark(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("it says nothing")
	case strings.ContainsAny(text, "\r\n"):
		return errors.New("it has more than one line")
	case len(text) > longestMark:
		return fmt.Errorf("it is longer than %d bytes", longestMark)
	}
	return nil
}
