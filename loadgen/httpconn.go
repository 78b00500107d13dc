package loadgen

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// headerLimit is how long the header of a reply may be, in bytes, as with net/http.
const headerLimit = 10 << 20

var errLongHeader = fmt.Errorf("the header of a reply exceeds %d bytes", headerLimit)

// An httpConn is a connection and what it takes to speak HTTP/1.1 over it.
type httpConn struct {
	buffers *sync.Pool // it returns to

	conn    net.Conn
	in      *bufio.Reader
	out     []byte
	left    int64 // bytes that may still be read
	readErr error // why reading ended; of a header that it cut off, net/http's error need not say so
	resent  resends
}

// newConn takes the buffers of a connection that was closed, if there are any.
func (s *direct) newConn(conn net.Conn) *httpConn {
	w, ok := s.buffers.Get().(*httpConn)
	if !ok {
		w = &httpConn{buffers: &s.buffers}
		w.in = bufio.NewReader(w)
	}
	w.conn, w.readErr = conn, nil
	w.resent.total.Store(0)
	w.in.Reset(w)
	return w
}

func (w *httpConn) close() {
	w.conn.Close()
	w.conn = nil
	w.buffers.Put(w)
}

// Read reads from the connection.
func (w *httpConn) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, errLongHeader
	}
	n, err := w.conn.Read(p)
	w.left, w.readErr = w.left-int64(n), err
	return n, err
}

// exchange writes a request and reads its reply to the end. The reply is the last one if the connection cannot carry
// another request.
func (w *httpConn) exchange(f requestTemplate, seq uint64) (r reply, last bool, err error) {
	w.out = f.number(w.out[:0], seq)
	if _, err := w.conn.Write(w.out); err != nil {
		return reply{}, true, err
	}
	w.left = headerLimit
	if _, err := w.in.Peek(1); err != nil {
		return reply{}, true, err
	}
	got, _ := w.in.Peek(w.in.Buffered()) // cannot fail
	simple, ok := parseSimple(got)
	if !ok {
		return w.readAny()
	}
	w.left = math.MaxInt64
	if _, err := w.in.Discard(simple.header); err != nil {
		return reply{}, true, err
	}
	_, err = w.in.Discard(simple.body)
	return simple.reply, simple.last || w.in.Buffered() > 0, err
}

// readAny has net/http read the reply to a GET or a POST, and passes over those that only announce it.
func (w *httpConn) readAny() (r reply, last bool, err error) {
	for {
		got, err := http.ReadResponse(w.in, nil)
		if err != nil {
			return reply{}, true, err
		}
		if got.StatusCode < 200 && got.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		w.left = math.MaxInt64
		r = replyOf(got)
		_, err = io.Copy(io.Discard, got.Body)
		return r, got.Close || got.StatusCode < 200 || w.in.Buffered() > 0, err
	}
}

// idle reports, without waiting, whether nothing came over the connection since its last reply, not even its end.
func (w *httpConn) idle() bool {
	raw, err := w.conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		quiet = nothingToRead(fd)
		return true
	})
	return err == nil && quiet
}
