package loadgen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// Connections take local ports in turn; the kernel chooses only where that fails. The kernel chooses at random: of 5,000
// connections of a lane at 100 per second, 600 had a port that another one had had within the minute. A node that tracks
// connections remembers a closed one for two minutes, with the pod that it led to. For the next connection from that port it
// normally looks up the rules anew. But 1 of 25,407 requests was refused where only one pod could have refused it: that pod had
// ended 0.1 s before, and every node's rules had left it out for 6 s.

// portMemory is how long connection tracking remembers a closed TCP connection (net.netfilter's nf_conntrack_tcp_timeout_time_wait
// by default).
const portMemory = 120 * time.Second

// LocalPorts are the local ports that the lanes of a process dial from, one after the other. The first one depends on the wall
// clock, which goes through all of them in portMemory, so that a process does not begin with the ports that the previous one used
// last.
type LocalPorts struct {
	first, count uint32
	next         atomic.Uint32
}

// NewLocalPorts returns the ports that the kernel would choose from.
func NewLocalPorts() *LocalPorts {
	return newLocalPorts("/proc/sys/net/ipv4/ip_local_port_range", time.Now())
}

func newLocalPorts(file string, now time.Time) *LocalPorts {
	p := &LocalPorts{first: 32768, count: 28232}
	var first, last uint32
	if text, err := os.ReadFile(file); err == nil {
		if n, _ := fmt.Sscan(string(text), &first, &last); n == 2 && first > 0 && last > first {
			p.first, p.count = first, last-first+1
		}
	}
	into := time.Duration(now.UnixNano()) % portMemory
	p.next.Store(uint32(float64(p.count) * into.Seconds() / portMemory.Seconds()))
	return p
}

func (p *LocalPorts) pick() int { return int(p.first + p.next.Add(1)%p.count) }

// portTries is how many ports are tried, if they are in use, before the kernel chooses one.
const portTries = 3

// dial opens a connection from the next port. If that fails, the error is a dialError with the port where one was used.
func (p *LocalPorts) dial(ctx context.Context, dialer net.Dialer, addr string) (net.Conn, error) {
	dialer.Resolver = likeResolver(dialer.Resolver)
	for range portTries {
		port := p.pick()
		dialer.LocalAddr = &net.TCPAddr{Port: port}
		opened, err := dialOther(ctx, dialer, addr)
		switch {
		case err == nil:
			return opened, nil
		case errors.As(err, new(*net.DNSError)):
			return nil, err
		case !errors.Is(err, syscall.EADDRINUSE) && !errors.Is(err, syscall.EADDRNOTAVAIL):
			return nil, &dialError{err, port}
		}
	}
	dialer.LocalAddr = nil
	return dialOther(ctx, dialer, addr)
}

// dialOther dials, and refuses a connection that leads to itself: a client gets one when it dials a port on which nobody listens
// from that same port (TCP's simultaneous open). Package net looks for that only where the kernel chose the port
// (net/tcpsock_posix.go, Go 1.26).
func dialOther(ctx context.Context, dialer net.Dialer, addr string) (net.Conn, error) {
	dialled, err := dialer.DialContext(ctx, "tcp", addr)
	tcp, ok := dialled.(*net.TCPConn)
	if !ok || !toItself(tcp) {
		return dialled, err
	}
	_ = tcp.SetLinger(0) // no TIME-WAIT: somebody may want to listen on the port
	tcp.Close()
	return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: tcp.RemoteAddr(), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

func toItself(c *net.TCPConn) bool {
	local, known := c.LocalAddr().(*net.TCPAddr)
	remote, connected := c.RemoteAddr().(*net.TCPAddr)
	return known && connected && local.Port == remote.Port && local.IP.Equal(remote.IP)
}

// likeResolver returns a copy of a resolver. A resolver makes concurrent lookups of a name one lookup (net/lookup.go, Go 1.26), so
// that a lost query would delay all connections that are opened until it is repeated 5 s later.
func likeResolver(r *net.Resolver) *net.Resolver {
	if r == nil {
		r = net.DefaultResolver
	}
	return &net.Resolver{PreferGo: r.PreferGo, StrictErrors: r.StrictErrors, Dial: r.Dial}
}

// A dialError is why a connection from a port could not be opened.
type dialError struct {
	error
	port int
}

// Unwrap returns the cause.
func (e *dialError) Unwrap() error { return e.error }
