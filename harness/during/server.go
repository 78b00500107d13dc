package during

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// What a recorder is told, a line each. It answers with a line that begins with ok, or with error and why. To end it answers twice:
// that it heard, and when all is done, exit and the exit code.
const (
	markVerb  = "mark"  // with a text: the maintenance reached a step
	awaitVerb = "await" // the answer comes when the load is steady
	endVerb   = "end"   // the maintenance is over

	okAnswer    = "ok"
	errorAnswer = "error"
	exitAnswer  = "exit"
)

// A server hears what others tell a recorder.
type server struct {
	folder   string
	listener *net.UnixListener
	calls    sync.WaitGroup

	steady chan struct{} // closed when the load is
	end    chan struct{} // closed when somebody said so
	over   chan struct{} // closed when all is done
	code   int           // then

	mu       sync.Mutex
	mark     func(text string) // notes a step; nil before the load is steady, and when the maintenance is over
	heardEnd bool
	ends     bool // by being told
}

// serve begins to listen in a run folder. A recording of a command ends with that, and not by being told.
func serve(folder string, ends bool) (s *server, err error) {
	s = &server{folder: folder, ends: ends, steady: make(chan struct{}), end: make(chan struct{}), over: make(chan struct{})}
	if s.listener, err = listen(folder); err != nil {
		return nil, fmt.Errorf("listen in the run folder: %w", err)
	}
	s.calls.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.calls.Go(func() { s.answer(conn) })
		}
	})
	return s, nil
}

// close has everybody who waits know that all is done.
func (s *server) close(code int) error {
	s.code = code
	close(s.over)
	closed := s.listener.Close()
	err := os.Remove(filepath.Join(s.folder, socketFile))
	if errors.Is(err, fs.ErrNotExist) { // the folder was removed
		err = nil
	}
	s.calls.Wait()
	return errors.Join(closed, err)
}

// steadyNow takes marks from now on.
func (s *server) steadyNow(mark func(string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark = mark
	select {
	case <-s.steady: // of the recording before
	default:
		close(s.steady)
	}
}

// endedNow takes no more marks.
func (s *server) endedNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark = nil
}

// callTimeout bounds a call that says nothing.
const callTimeout = 10 * time.Second

func (s *server) answer(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(callTimeout))
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	verb, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	switch verb {
	case markVerb:
		s.reply(conn, s.noteMark(text))
	case awaitVerb:
		select {
		case <-s.steady:
			s.reply(conn, nil)
		case <-s.over:
		}
	case endVerb:
		err := s.hearEnd()
		if s.reply(conn, err); err == nil {
			<-s.over
			fmt.Fprintf(conn, "%s %d\n", exitAnswer, s.code)
		}
	default:
		s.reply(conn, fmt.Errorf("there is no %q", verb))
	}
}

func (s *server) reply(to io.Writer, err error) {
	if err != nil {
		fmt.Fprintf(to, "%s %v\n", errorAnswer, err)
		return
	}
	fmt.Fprintln(to, okAnswer)
}

func (s *server) noteMark(text string) error {
	if err := checkMark(text); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mark == nil {
		select {
		case <-s.steady:
			return errors.New("the maintenance is over")
		default:
			return errors.New("the load is not steady yet")
		}
	}
	s.mark(text)
	return nil
}

func (s *server) hearEnd() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.ends:
		return errors.New("it ends with its command")
	case s.heardEnd:
		return errors.New("it was told to end before")
	case s.mark == nil:
		return errors.New("the load is not steady yet")
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
