package loadgen

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// eventStream is the type of a stream of server-sent events (HTML standard, 9.2).
const eventStream = "text/event-stream"

// checkSSE returns why a lane cannot be loaded with requests for streams, or nil.
func checkSSE(lane evidence.Lane, cfg Config) error {
	user := cfg.UserHTTP
	switch {
	case lane.Conn != evidence.Fresh:
		return errors.New("each stream has a connection of its own: it cannot be kept")
	case lane.Longest < 0:
		return fmt.Errorf("streams cannot last for %v", lane.Longest)
	case user != nil && user.Method == http.MethodHead:
		return errors.New("a reply to HEAD is no stream")
	case user != nil && user.Pointer+user.Pattern != "":
		return errors.New("a stream can name its version in a header alone")
	default:
		return checkHTTP(lane, cfg)
	}
}

// openSSE returns the exchanger of a lane whose replies are streams of server-sent events.
func openSSE(lane evidence.Lane, cfg Config, noted *connections) (exchanger, error) {
	accepted := http.Header{"Accept": {eventStream}}
	maps.Copy(accepted, cfg.Header)
	cfg.Header = accepted
	return eventStreams{newHTTP(lane, cfg, noted)}, nil
}

// An eventStreams is an exchanger that asks for a stream over a connection of its own, and reads it as its tokens come. The deadline of a
// request is that of the first token; each token moves it by as much as the request had, and no further than the longest stream may last.
type eventStreams struct{ *direct }

func (s eventStreams) exchange(q request, h *evidence.Hit) (failures []error) {
	w, err := s.connect(0, q, h)
	if err != nil {
		s.noteFailure(err)
		return []error{err}
	}
	defer w.close()
	err = s.stream(w, q, h)
	if time.Since(q.sent) >= resendTimer {
		h.Resent = w.resent.since(w.conn)
	}
	if err == nil {
		return nil
	}
	s.noteFailure(err)
	w.conn.Close() // as [direct.exchange] does
	return []error{err, w.readErr}
}

// stream sends a request and reads its reply: to the end mark, if it is a stream.
func (s eventStreams) stream(w *httpConn, q request, h *evidence.Hit) error {
	if err := w.send(s.template, q.seq); err != nil {
		return err
	}
	got, err := w.readHead(nil)
	if err != nil {
		return err
	}
	r := replyOf(got)
	if s.userapp != nil {
		r = reply{status: got.StatusCode, by: evidence.Server{Version: got.Header.Get(s.userapp.Header)}}
	}
	s.judge(r, h)
	is := got.Header.Get("Content-Type")
	switch streams := strings.HasPrefix(strings.ToLower(is), eventStream); {
	case h.Fault == evidence.NoFault && streams:
		return s.readEvents(w, got.Body, q, h)
	case h.Fault == evidence.BadStatus || streams:
		return nil
	default:
		return UnspokenError(fmt.Sprintf("its reply is %s, and no stream of events (%s)", cmp.Or(is, "of no type"), eventStream))
	}
}

// readEvents reads a stream to its end mark or, without one, to its end.
func (s eventStreams) readEvents(w *httpConn, body io.Reader, q request, h *evidence.Hit) error {
	events, last := eventReader{in: bufio.NewReader(body)}, q.sent
	for {
		data, err := events.next()
		switch {
		case errors.Is(err, io.EOF) && s.EndMark != "":
			h.Fault = evidence.Truncated
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		now := time.Now()
		h.Marked = s.EndMark != "" && string(data) == s.EndMark
		noteToken(h, now.Sub(last))
		if h.Marked {
			return nil
		}
		if last = now; s.Longest > 0 { // where it cannot be set, nothing can be read either
			_ = w.conn.SetDeadline(earlier(now.Add(q.deadline.Sub(q.sent)), q.sent.Add(s.Longest)))
		}
	}
}

// noteToken notes a token, or the end mark, that came so long after the one before it or after its request was sent.
func noteToken(h *evidence.Hit, after time.Duration) {
	micros := uint32(min(after.Microseconds(), math.MaxUint32))
	if h.FirstMicros == 0 {
		h.FirstMicros = max(1, micros)
	} else {
		h.GapMicros = max(h.GapMicros, micros)
	}
	if !h.Marked {
		h.Tokens++
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// An eventReader reads server-sent events whose lines end in LF or CR LF, and may be of any length.
type eventReader struct {
	in     *bufio.Reader
	within bool // an event whose data has begun
}

// next returns the first line of the data of the next event that has data, or as many bytes of it as the buffer takes, until the next call.
func (r *eventReader) next() ([]byte, error) {
	for {
		line, err := r.line()
		data, is := bytes.CutPrefix(line, []byte("data:"))
		begins := is && !r.within
		r.within = len(line) > 0 && (r.within || is)
		switch {
		case begins: // the error comes again
			return bytes.TrimPrefix(data, []byte(" ")), nil
		case err != nil:
			return nil, err
		}
	}
}

// line returns the next line without its end. What comes before an error is a line, too.
func (r *eventReader) line() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.in.ReadSlice('\n')
		}
		return line, err
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
}
