package loadgen

import (
	"bufio"
	"errors"
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

// A wire is a connection and what it takes to speak HTTP/1.1 over it.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	left int64 // what may still be read
	died error // why reading ended; of a header that it cut off, net/http's error need not say so
}

// wires are those without a connection, for their buffers.
var wires = sync.Pool{New: func() any {
	w := &wire{}
	w.in = bufio.NewReader(w)
	return w
}}

func newWire(conn net.Conn) *wire {
	w := wires.Get().(*wire)
	w.conn, w.died = conn, nil
	w.in.Reset(w)
	return w
}

func (w *wire) close() {
	w.conn.Close()
	w.conn = nil
	wires.Put(w)
}

// Read reads from the connection.
func (w *wire) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, errLongHeader
	}
	n, err := w.conn.Read(p)
	w.left, w.died = w.left-int64(n), err
	return n, err
}

// exchange writes a request and reads its reply to the end. The reply is the last one if the connection cannot carry
// another request.
func (w *wire) exchange(f *form, req *http.Request) (r answer, last bool, err error) {
	w.out = f.number(w.out[:0], req.Header.Get(seqHeader))
	if _, err := w.conn.Write(w.out); err != nil {
		return answer{}, true, err
	}
	w.left = headerLimit
	if _, err := w.in.Peek(1); err != nil {
		return answer{}, true, err
	}
	got, _ := w.in.Peek(w.in.Buffered()) // cannot fail
	brief, ok := parseBrief(got)
	if !ok {
		return w.readAny(req)
	}
	w.left = math.MaxInt64
	if _, err := w.in.Discard(brief.header); err != nil {
		return answer{}, true, err
	}
	_, err = w.in.Discard(brief.body)
	return brief.answer, brief.last || w.in.Buffered() > 0, err
}

// readAny has net/http read a reply, and passes over those that only announce it.
func (w *wire) readAny(req *http.Request) (r answer, last bool, err error) {
	for {
		got, err := http.ReadResponse(w.in, req)
		if err != nil {
			return answer{}, true, err
		}
		if got.StatusCode < 200 && got.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		w.left = math.MaxInt64
		r = answerOf(got)
		_, err = io.Copy(io.Discard, got.Body)
		return r, got.Close || got.StatusCode < 200 || w.in.Buffered() > 0, err
	}
}

// quiet reports, without waiting, whether nothing came over the connection since its last reply, not even its end.
func (w *wire) quiet() bool {
	raw, err := w.conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return false
	}
	var found error
	err = raw.Read(func(fd uintptr) bool {
		_, found = syscall.Read(int(fd), make([]byte, 1))
		return true
	})
	return err == nil && errors.Is(found, syscall.EAGAIN)
}
