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

// Connections take local ports in turn, and the kernel's choice only where that fails. The kernel chooses at random, and
// of a lane at 100 per second 600 of 5,000 connections had a port that another had had within the minute. A node that
// tracks connections knows a closed one for two minutes, with the pod that it led to; for the next one from that port it
// looks up the rules anew, as a rule. Seen before: 1 of 25,407 requests, refused when the one pod that could do so had ended
// 0.1 s ago, and 6 s after every node's rules had left that pod out.

// portMemory is how long connection tracking knows a TCP connection that was closed (net.netfilter's
// nf_conntrack_tcp_timeout_time_wait by default).
const portMemory = 120 * time.Second

// LocalPorts are those that the lanes of a process dial from, one after the other. They begin where the clock says, at the
// speed that uses all of them in portMemory, so that a process that follows another does not begin with the last one's.
type LocalPorts struct {
	first, count uint32
	next         atomic.Uint32
}

// NewLocalPorts reads which ports the kernel would choose from.
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

// portTries is how many ports that are in use are passed over before the kernel chooses one.
const portTries = 3

// dial opens a connection from the next port. The error of one that could not be opened knows the port.
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

// dialOther refuses a connection that leads to itself: where nobody listens on a port, a client that dials from that port opens
// one (TCP's simultaneous open). Package net looks for that only where the kernel chose the port (net/tcpsock_posix.go, Go 1.26).
func dialOther(ctx context.Context, dialer net.Dialer, addr string) (net.Conn, error) {
	dialled, err := dialer.DialContext(ctx, "tcp", addr)
	tcp, ok := dialled.(*net.TCPConn)
	if !ok || !toItself(tcp) {
		return dialled, err
	}
	_ = tcp.SetLinger(0) // the port is one to listen on, so that it is not to be left in TIME-WAIT
	tcp.Close()
	return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: tcp.RemoteAddr(), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

func toItself(c *net.TCPConn) bool {
	local, known := c.LocalAddr().(*net.TCPAddr)
	remote, connected := c.RemoteAddr().(*net.TCPAddr)
	return known && connected && local.Port == remote.Port && local.IP.Equal(remote.IP)
}

// likeResolver is a resolver like another. Lookups of a name that one resolver has under way at a time are one lookup (net/lookup.go,
// Go 1.26), so that a query that is lost would cost all connections that are opened until it is asked again, 5 s later.
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
