package loadgen

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"example.com/rollcall/harness/evidence"
)

// http2Name is the name of HTTP/2 in TLS handshakes (RFC 9113, 3.2).
const http2Name = "h2"

// An http2Conn is a connection of HTTP/2. It is the net.Conn below net/http's part of it, too, and so sees every frame of the server.
type http2Conn struct {
	net.Conn  // carries frames: tcp, or TLS over it
	tcp       net.Conn
	client    *http.ClientConn
	opened    time.Time
	handshake uint32 // how long that took, µs; 0: no TLS
	noted     *connection
	resent    resends
	frames    FrameReader
	heard     atomic.Int64  // when something was read last, ns after opened
	began     chan struct{} // closed once a frame was read, or none will be

	mu      sync.Mutex // no method of client is called with it, since that calls those of net.Conn
	leaving error      // why it takes no more requests; nil: it does
	failed  error      // of reading or writing; nil: none yet
	pending int        // requests without an outcome
	lost    bool       // a request was, before it was known how the connection ended
	code    int        // of GOAWAY
	ended   evidence.End
	endedAt time.Time
}

// errGone is why a connection takes no more requests: it was told to go, or replaced.
var errGone = errors.New("the connection takes no more requests")

// reserve takes a stream for a request. It waits for one until the deadline while the server allows no more. If the connection takes no
// more requests, the error is why.
func (c *http2Conn) reserve(deadline time.Time) (waited bool, err error) {
	for c.client.Reserve() != nil {
		if leaves := c.leaves(); leaves != nil {
			return waited, leaves
		}
		if waited = true; time.Now().After(deadline) {
			return false, os.ErrDeadlineExceeded
		}
		time.Sleep(streamPause)
	}
	c.mu.Lock()
	leaves := c.leaving
	if leaves == nil {
		c.pending++
		c.noted.sent()
	}
	c.mu.Unlock()
	if leaves != nil {
		c.client.Release()
	}
	return waited, leaves
}

// streamPause is how often a request looks for a stream while the server allows no more.
const streamPause = time.Millisecond

// leaves returns why it takes no more requests; nil: it does.
func (c *http2Conn) leaves() error {
	failed := c.client.Err() != nil
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving == nil && failed {
		return errGone
	}
	return c.leaving
}

// describe writes into the hit of a request, sent at some time, what is known of the connection that carries it, which it may have opened.
func (c *http2Conn) describe(h *evidence.Hit, sent time.Time, opened bool) {
	h.Attempts, h.LocalPort, h.Connection, h.Reused = 1, localPort(c.tcp), c.noted.number(), !opened
	if c.opened.After(sent) {
		h.Connect, h.HandshakeMicros = c.opened.Sub(sent).Truncate(time.Microsecond), c.handshake
	}
}

// answered ends a request with a whole reply.
func (c *http2Conn) answered(by evidence.Server) {
	c.mu.Lock()
	c.noted.answered(by)
	c.finish()
}

// unanswered ends a request without one, which was in flight when the connection ended, or was not.
func (c *http2Conn) unanswered(inFlight bool) {
	c.mu.Lock()
	if c.lost = c.lost || inFlight; !inFlight {
		c.noted.unanswered()
	}
	c.finish()
}

// takeBack ends a request that was not sent after all.
func (c *http2Conn) takeBack() {
	c.mu.Lock()
	c.noted.takenBack()
	c.finish()
}

// finish ends a request, unlocks the connection and, after the last request, closes one that takes no more.
func (c *http2Conn) finish() {
	c.pending--
	idle := c.pending == 0 && c.leaving != nil
	c.noteEnd()
	c.mu.Unlock()
	if idle {
		c.client.Close()
	}
}

// retire closes the connection once its requests are over.
func (c *http2Conn) retire() {
	c.mu.Lock()
	if c.leaving == nil {
		c.leaving = errGone
	}
	idle := c.pending == 0
	c.mu.Unlock()
	if idle {
		c.client.Close()
	}
}

// end notes how the connection ended. What comes after its first end is not noted.
func (c *http2Conn) end(how evidence.End) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != "" {
		return
	}
	c.ended, c.endedAt = how, time.Now()
	if c.leaving == nil {
		c.leaving = errGone
	}
	c.noteEnd()
}

// noteEnd notes the end once it is known what became of every request. The caller holds the lock.
func (c *http2Conn) noteEnd() {
	if c.ended == "" || c.pending > 0 {
		return
	}
	code := 0
	if c.ended == evidence.EndCode {
		code = c.code
	}
	c.noted.endedWith(c.endedAt, c.ended, code)
}

// failure returns the error of a request and that of its connection, since the first may not name the cause.
func (c *http2Conn) failure(err error) []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return []error{err, c.failed}
}

// heardSince reports whether the server has sent anything since then.
func (c *http2Conn) heardSince(then time.Time) bool {
	return c.heard.Load() >= int64(then.Sub(c.opened))
}

// Read reads what the server sends, for net/http alone.
func (c *http2Conn) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	first := !c.frames.any
	told, foreign := c.frames.Look(p[:n])
	switch {
	case foreign:
		n, err = 0, UnspokenError("it answers over HTTP/1.1, and not over HTTP/2")
	case first && errors.Is(err, io.EOF) && !c.frames.any:
		err = fmt.Errorf("it closed the connection before any frame of HTTP/2: %w", err)
	}
	if n > 0 {
		c.heard.Store(int64(time.Since(c.opened)))
	}
	if told {
		c.mu.Lock()
		c.leaving, c.code = errToldToGo, c.frames.code
		c.mu.Unlock()
		c.noted.told(evidence.GoAway)
	}
	if err != nil {
		c.broke(err)
	}
	if first && (c.frames.any || err != nil) {
		close(c.began)
	}
	return n, err
}

// Write writes frames, for net/http alone.
func (c *http2Conn) Write(p []byte) (n int, err error) {
	if n, err = c.Conn.Write(p); err != nil {
		c.broke(err)
	}
	return n, err
}

// broke notes the first error of reading or writing the connection, which ends it.
func (c *http2Conn) broke(err error) {
	c.mu.Lock()
	if c.failed == nil {
		c.failed = err
	}
	how := endOf(err)
	if c.code != 0 {
		how = evidence.EndCode
	}
	c.mu.Unlock()
	c.end(how)
}

// Close closes the connection. net/http also does so if what the server sends is no HTTP/2. TLS's closing alert would wait for a peer that
// reads nothing.
func (c *http2Conn) Close() error {
	c.mu.Lock()
	how := evidence.EndOwn
	if c.lost || c.leaving == nil && c.pending > 0 {
		how = evidence.EndFault
	}
	c.mu.Unlock()
	c.end(how)
	return c.tcp.Close()
}

// errToldToGo is why a connection takes no more requests after GOAWAY: the server did not get one.
var errToldToGo = errors.New("the server told the client to go before it sent the request")

// A streamError is an error of HTTP/2 for one stream, in the form in which net/http gives it away (net/http/h2_error.go).
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return fmt.Sprintf("stream %d: code %d", e.StreamID, e.Code) }

// refusedStream is the code of a stream that the server did not process (RFC 9113, 8.7).
const refusedStream = 7

// The errors of net/http for a stream that GOAWAY shows not to have been processed, and for requests that were not written.
const (
	goneError        = "http2: Transport received Server's graceful shutdown GOAWAY"
	unusableError    = "http2: client conn not usable"
	unconnectedError = "http2: client conn could not be established"
)

// streamFault returns what became of a request by an error of its stream; NoFault if it is none.
func streamFault(err error) evidence.Fault {
	var stream streamError
	switch {
	case errors.Is(err, errToldToGo), err.Error() == goneError, errors.As(err, &stream) && stream.Code == refusedStream:
		return evidence.Returned
	case errors.As(err, &stream):
		return evidence.StreamReset
	default:
		return evidence.NoFault
	}
}

// unwritten reports whether a request failed before anything of it was written.
func unwritten(err error) bool {
	return err.Error() == unusableError || err.Error() == unconnectedError
}
