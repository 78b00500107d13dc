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
	"time"
)

// What a recorder is told, by requests over HTTP. It refuses one with a conflict, and says why.
const (
	markVerb   = "mark"   // the maintenance reached a step, which the body names
	steadyVerb = "steady" // is the load?
	endVerb    = "end"    // the maintenance is over; the body of the answer has what is printed until all is done
)

// codeTrailer, after the body of that answer, has the exit code.
const codeTrailer = "Exit-Code"

// A server hears what others tell a recorder.
type server struct {
	folder string
	http   http.Server
	screen *screen

	end  chan struct{} // closed when somebody said so
	over chan struct{} // closed when all is done
	code int           // then

	mu       sync.Mutex
	mark     func(text string) // notes a step; nil until the load is steady
	refuses  error             // why no step is noted, nor the end; nil: they are
	heardEnd bool
	ends     bool // by being told
}

// serve begins to listen in a run folder. A recording of a command ends with that, and not by being told. Whoever ends it is the screen's
// terminal from then on.
func serve(folder string, ends bool, screen *screen) (*server, error) {
	s := &server{folder: folder, screen: screen, ends: ends, end: make(chan struct{}), over: make(chan struct{}), refuses: errNotSteady}
	listener, err := listen(folder)
	if err != nil {
		return nil, fmt.Errorf("listen in the run folder: %w", err)
	}
	told := http.NewServeMux()
	told.HandleFunc("/"+markVerb, s.hearMark)
	told.HandleFunc("/"+steadyVerb, s.sayIfSteady)
	told.HandleFunc("/"+endVerb, s.hearEnd)
	s.http = http.Server{Handler: told, ReadHeaderTimeout: callTimeout}
	go s.http.Serve(listener) //nolint:errcheck // that it was closed
	return s, nil
}

// errNotSteady is why nobody is heard before the load is.
var errNotSteady = errors.New("the load is not steady yet")

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

func (s *server) sayIfSteady(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mark == nil {
		http.Error(w, errNotSteady.Error(), http.StatusConflict)
	}
}

func (s *server) hearEnd(w http.ResponseWriter, r *http.Request) {
	if err := s.noteEnd(w); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	select {
	case <-s.over:
		w.Header().Set(http.TrailerPrefix+codeTrailer, strconv.Itoa(s.code))
	case <-r.Context().Done(): // whoever is gone learns nothing
	}
	s.screen.to(io.Discard)
}

func (s *server) noteEnd(by http.ResponseWriter) error {
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
	_, _ = flushed{by}.Write(nil) // that it was heard
	s.screen.to(flushed{by})
	close(s.end)
	return nil
}

// flushed sends at once what is written to an answer.
type flushed struct{ to http.ResponseWriter }

func (f flushed) Write(text []byte) (int, error) {
	n, err := f.to.Write(text)
	return n, errors.Join(err, http.NewResponseController(f.to).Flush())
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
