package grpclane

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/credentials"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// errNoHTTP2 is what becomes of a connection whose server answers over HTTP/1.
var errNoHTTP2 = errors.New("it does not speak HTTP/2, which gRPC needs")

// A conn is a connection of a channel. It notes its own end, and each RPC that it carries has it from its local address.
type conn struct {
	net.Conn
	of     *channel
	noted  loadgen.Connection
	opened time.Time
	port   int

	carried atomic.Bool // an RPC

	mu    sync.Mutex
	broke error
}

// Read reads, and notes an end.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.failed(err)
	return n, err
}

// Write writes, and notes an end.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.failed(err)
	return n, err
}

// Close closes it, which notes that its client ended it unless it has ended.
func (c *conn) Close() error {
	c.noted.Ended(nil)
	return c.Conn.Close()
}

// LocalAddr returns its address, which leads to it.
func (c *conn) LocalAddr() net.Addr { return localAddr{c.Conn.LocalAddr(), c} }

// A localAddr is the local address of a conn.
type localAddr struct {
	net.Addr
	of *conn
}

// failed notes how it broke: the first error counts. That it was closed here is no error of it.
func (c *conn) failed(err error) {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return
	}
	c.mu.Lock()
	first := c.broke == nil
	if first {
		c.broke = err
	}
	c.mu.Unlock()
	if first {
		c.noted.Ended(err)
		c.of.failed(err, c.port)
	}
}

// err returns how it broke; nil: it did not.
func (c *conn) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broke
}

// watched are credentials of a transport after whose handshake what the server sends is looked at.
type watched struct {
	credentials.TransportCredentials
	of *channel
}

// ClientHandshake makes the handshake over a conn.
func (w watched) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := w.TransportCredentials.ClientHandshake(ctx, authority, raw)
	c, is := raw.(*conn)
	switch {
	case !is:
		return secured, info, err
	case err != nil:
		c.failed(err)
		return nil, nil, err
	default:
		return &frames{Conn: secured, of: c}, info, nil
	}
}

// Clone copies the credentials.
func (w watched) Clone() credentials.TransportCredentials {
	return watched{w.TransportCredentials.Clone(), w.of}
}

// A frames is a connection that reads HTTP/2 and looks at its frames: one tells its client to go.
type frames struct {
	net.Conn
	of     *conn
	reader loadgen.FrameReader
}

// Read reads, and notes what the frames tell.
func (f *frames) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	told, foreign := f.reader.Look(p[:n])
	if foreign {
		f.of.failed(errNoHTTP2)
		return 0, errNoHTTP2
	}
	if told {
		f.of.noted.Told(evidence.GoAway)
	}
	return n, err
}
