package loadgen

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"

	"example.com/rollcall/harness/evidence"
)

// headerLimit bounds the header of a reply, in bytes, as net/http does.
const headerLimit = 10 << 20

var errLongHeader = fmt.Errorf("the header of a reply exceeds %d bytes", headerLimit)

// An httpConn is a connection with the buffers to speak HTTP/1.1 over it.
type httpConn struct {
	buffers *sync.Pool // where close puts it

	conn    net.Conn
	stream  net.Conn  // carries HTTP: conn, or TLS over it
	below   *peekable // connection below TLS; nil: no TLS
	in      *bufio.Reader
	out     []byte
	left    int64 // bytes that may still be read
	readErr error // why reading ended: net/http's error for a header that was cut off may not say so
	resent  resends
	noted   *connection
}

// newConn returns an httpConn with the buffers of a closed one, if there are any.
func (s *direct) newConn(conn net.Conn) *httpConn {
	w, ok := s.buffers.Get().(*httpConn)
	if !ok {
		w = &httpConn{buffers: &s.buffers}
		w.in = bufio.NewReader(w)
	}
	w.conn, w.stream, w.below, w.readErr, w.noted = conn, conn, nil, nil, nil
	w.resent.total.Store(0)
	w.in.Reset(w)
	return w
}

func (w *httpConn) close() {
	w.stream.Close()
	w.conn, w.stream, w.below, w.noted = nil, nil, nil, nil
	w.buffers.Put(w)
}

// Read reads from the connection.
func (w *httpConn) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, errLongHeader
	}
	n, err := w.stream.Read(p)
	w.left, w.readErr = w.left-int64(n), err
	return n, err
}

// send writes a request.
func (w *httpConn) send(f requestTemplate, seq uint64) error {
	w.left = headerLimit
	w.out = f.number(w.out[:0], seq)
	w.noted.sent()
	_, err := w.stream.Write(w.out)
	return err
}

// exchange writes a request and reads its reply to the end. The reply is the last one if the connection cannot carry
// another request; app is nil for the echo app.
func (w *httpConn) exchange(f requestTemplate, seq uint64, app *replyReader) (r reply, last bool, err error) {
	if err := w.send(f, seq); err != nil {
		return reply{}, true, err
	}
	if app != nil {
		return w.readAny(app)
	}
	if _, err := w.in.Peek(1); err != nil {
		return reply{}, true, err
	}
	got, _ := w.in.Peek(w.in.Buffered()) // cannot fail
	simple, ok := parseSimple(got)
	if !ok {
		return w.readAny(nil)
	}
	w.left = math.MaxInt64
	if _, err := w.in.Discard(simple.header); err != nil {
		return reply{}, true, err
	}
	_, err = w.in.Discard(simple.body)
	return simple.reply, w.read(simple.reply, simple.last, err), err
}

// unanswered reports whether a failed exchange may be one whose request the peer had not read when it closed the connection: no
// byte of a reply came, and the deadline did not pass. In that case net/http silently sends a GET again over another connection, if
// the one that died had carried a request before (net/http/transport.go, shouldRetryRequest).
func (w *httpConn) unanswered(err error) bool {
	return err != nil && w.left == headerLimit && !errors.Is(err, os.ErrDeadlineExceeded)
}

// readAny lets net/http read the reply.
func (w *httpConn) readAny(app *replyReader) (r reply, last bool, err error) {
	var requested *http.Request // nil: a GET, whose reply has a body
	if app != nil {
		requested = &app.requested
	}
	got, err := w.readHead(requested)
	if err != nil {
		return reply{}, true, err
	}
	r, err = readReply(got, app)
	return r, w.read(r, got.Close, err) || got.StatusCode < 200, err
}

// readHead reads a reply to a request, nil for a GET, up to its body, and skips interim ones (1xx) before it.
func (w *httpConn) readHead(requested *http.Request) (*http.Response, error) {
	for {
		got, err := http.ReadResponse(w.in, requested)
		if err != nil {
			return nil, err
		}
		if got.StatusCode >= 200 || got.StatusCode == http.StatusSwitchingProtocols {
			w.left = math.MaxInt64
			return got, nil
		}
	}
}

// read notes a reply that was read, or could not be read to its end, and reports whether it is the last.
func (w *httpConn) read(r reply, goes bool, err error) (last bool) {
	if err == nil {
		w.noted.answered(r.by)
	}
	if goes {
		w.noted.told(evidence.CloseHeader)
	}
	return goes || w.in.Buffered() > 0
}

// ended reports, without waiting, whether anything came over the connection since its last reply, and how that ended it. It cannot be used
// after something else than its end either.
func (w *httpConn) ended() (how evidence.End, is bool) {
	n, err := 0, error(nil)
	if w.below != nil {
		n, err = w.readTLSNow()
	} else {
		n, err = readNow(w.conn, make([]byte, 1))
	}
	switch {
	case n > 0:
		return evidence.EndOwn, true
	case err == nil:
		return evidence.EndFin, true
	case errors.Is(err, errNothing):
		return "", false
	default:
		return endOf(err), true
	}
}

// readNow reads, without waiting, what a connection has received; errNothing if that is nothing.
func readNow(conn net.Conn, to []byte) (n int, err error) {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return 0, err
	}
	unread := raw.Read(func(fd uintptr) bool {
		n, err = readFile(fd, to)
		return true
	})
	return max(n, 0), cmp.Or(err, unread)
}
