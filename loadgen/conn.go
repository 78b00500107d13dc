package loadgen

import (
	"net"
	"sync/atomic"
)

// A conn is a connection that keeps what it failed with. net/http forgets: a keep-alive connection that the
// peer closed is reported as an error of no exported type ("http: server closed idle connection").
type conn struct {
	net.Conn
	first   atomic.Pointer[error]
	carried bool // whether a request was given to it; the transport hands it to one at a time
	resent  resends
}

// Read reads, and keeps the first error.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.keepError(err)
}

// Write writes, and keeps the first error.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.keepError(err)
}

// firstErrorOf is the first error that reading or writing met; nil while there was none, or no connection.
func firstErrorOf(c *conn) error {
	if c == nil {
		return nil
	}
	if err := c.first.Load(); err != nil {
		return *err
	}
	return nil
}

func (c *conn) keepError(err error) error {
	if err != nil {
		c.first.CompareAndSwap(nil, &err)
	}
	return err
}
