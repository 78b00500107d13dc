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
	"strings"
	"sync"
	"time"
)

// What a recorder is told, by requests over HTTP. It refuses one with a conflict, and says why.
const (
	markVerb   = "mark"   // the maintenance reached a step, which the body names
	steadyVerb = "steady" // is answered when the load is
	endVerb    = "end"    // the maintenance is over; the body of the reply has the exit code, when all is done
)

// A server hears what others tell a recorder.
type server struct {
	folder string
	http   http.Server

	steady chan struct{} // closed when the load is
	end    chan struct{} // closed when somebody said so
	over   chan struct{} // closed when all is done
	code   int           // then

	steadied sync.Once

	mu       sync.Mutex
	mark     func(text string) // notes a step
	refuses  error             // why no step is noted, nor the end; nil: they are
	heardEnd bool
	ends     bool // by being told
}

// serve begins to listen in a run folder. A recording of a command ends with that, and not by being told.
func serve(folder string, ends bool) (*server, error) {
	s := &server{folder: folder, ends: ends, steady: make(chan struct{}), end: make(chan struct{}), over: make(chan struct{}),
		refuses: errors.New("the load is not steady yet")}
	listener, err := listen(folder)
	if err != nil {
		return nil, fmt.Errorf("listen in the run folder: %w", err)
	}
	told := http.NewServeMux()
	told.HandleFunc("/"+markVerb, s.hearMark)
	told.HandleFunc("/"+steadyVerb, s.sayWhenSteady)
	told.HandleFunc("/"+endVerb, s.hearEnd)
	s.http = http.Server{Handler: told, ReadHeaderTimeout: callTimeout}
	go s.http.Serve(listener) //nolint:errcheck // that it was closed
	return s, nil
}

// close has everybody who waits know that all is done.
func (s *server) close(code int) error {
	s.code = code
	close(s.over)
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	closed := s.http.Shutdown(ctx) // when all have their answers
	err := os.Remove(filepath.Join(s.folder, socketFile))
	if errors.Is(err, fs.ErrNotExist) { // the folder was removed
		err = nil
	}
	return errors.Join(closed, err)
}

// steadyNow takes marks from now on.
func (s *server) steadyNow(mark func(string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark, s.refuses = mark, nil
	s.steadied.Do(func() { close(s.steady) }) // by the first recording
}

// endedNow takes no more marks.
func (s *server) endedNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = errors.New("the maintenance is over")
}

// callTimeout bounds a call that says nothing, and an answer that nobody takes.
const callTimeout = 10 * time.Second

func (s *server) hearMark(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = cmp.Or(err, checkMark(string(text)), s.refuses); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	s.mark(string(text))
}

func (s *server) sayWhenSteady(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.steady:
	case <-s.over:
		http.Error(w, "the recording is over", http.StatusConflict)
	case <-r.Context().Done():
	}
}

func (s *server) hearEnd(w http.ResponseWriter, r *http.Request) {
	if err := s.noteEnd(); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	_ = http.NewResponseController(w).Flush() // whoever is gone learns nothing
	select {
	case <-s.over:
		fmt.Fprint(w, s.code)
	case <-r.Context().Done():
	}
}

func (s *server) noteEnd() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.ends:
		return errors.New("it ends with its command")
	case s.heardEnd:
		return errors.New("it was told to end before")
	case s.refuses != nil:
		return s.refuses
	}
	s.heardEnd = true
	close(s.end)
	return nil
}

// longestMark is how much of a line a mark may take on the page, in bytes.
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
