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
}

// newConn returns an httpConn with the buffers of a closed one, if there are any.
func (s *direct) newConn(conn net.Conn) *httpConn {
	w, ok := s.buffers.Get().(*httpConn)
	if !ok {
		w = &httpConn{buffers: &s.buffers}
		w.in = bufio.NewReader(w)
	}
	w.conn, w.stream, w.below, w.readErr = conn, conn, nil, nil
	w.resent.total.Store(0)
	w.in.Reset(w)
	return w
}

func (w *httpConn) close() {
	w.stream.Close()
	w.conn, w.stream, w.below = nil, nil, nil
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

// exchange writes a request and reads its reply to the end. The reply is the last one if the connection cannot carry
// another request; app is nil for the echo app.
func (w *httpConn) exchange(f requestTemplate, seq uint64, app *replyReader) (r reply, last bool, err error) {
	w.left = headerLimit
	w.out = f.number(w.out[:0], seq)
	if _, err := w.stream.Write(w.out); err != nil {
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
	return simple.reply, simple.last || w.in.Buffered() > 0, err
}

// unanswered reports whether a failed exchange may be one whose request the peer had not read when it closed the connection: no
// byte of a reply came, and the deadline did not pass. In that case net/http silently sends a GET again over another connection, if
// the one that died had carried a request before (net/http/transport.go, shouldRetryRequest).
func (w *httpConn) unanswered(err error) bool {
	return err != nil && w.left == headerLimit && !errors.Is(err, os.ErrDeadlineExceeded)
}

// readAny lets net/http read the reply, and skips interim ones (1xx) before it.
func (w *httpConn) readAny(app *replyReader) (r reply, last bool, err error) {
	var requested *http.Request // nil: a GET, whose reply has a body
	if app != nil {
		requested = &app.requested
	}
	for {
		got, err := http.ReadResponse(w.in, requested)
		if err != nil {
			return reply{}, true, err
		}
		if got.StatusCode < 200 && got.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		w.left = math.MaxInt64
		r, err = readReply(got, app)
		return r, got.Close || got.StatusCode < 200 || w.in.Buffered() > 0, err
	}
}

// idle reports, without waiting, whether nothing came over the connection since its last reply, not even its end.
func (w *httpConn) idle() bool {
	if w.below != nil {
		return w.idleTLS()
	}
	_, err := readNow(w.conn, make([]byte, 1))
	return errors.Is(err, errNothing)
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
