//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A routedFlow is a connection that was routed, not one that was rejected or dropped before.
type routedFlow struct {
	Received time.Time      // when its event was received
	Client   netip.AddrPort // source of the original tuple
	To       netip.AddrPort // its destination
	Pod      netip.AddrPort // source of the reply's tuple
}

// A conntrackListener collects to which pod each TCP connection to given destinations was routed, from the kernel's events about
// new entries of its connection tracking table. Its methods may be called by several goroutines.
//
// github.com/ti-mo/conntrack (v0.6) is not used since it has neither a filter in the kernel nor a way to continue after a loss:
// its workers decode each event of the node and end with the first error, ENOBUFS among them.
type conntrackListener struct {
	to     []netip.AddrPort
	events *socket
	ended  chan struct{}

	// Used by the receiving goroutine alone.
	whole   time.Time // last time at which all events had been received
	failure error     // first error since then

	mu    sync.Mutex
	flows []routedFlow
	since time.Time
	lost  error
}

// eventsSetting is 0 if the kernel announces no entries; 2, the default, if it does so while a process listens
// (Linux v6.18, Documentation/networking/nf_conntrack-sysctl.rst).
const eventsSetting = "/proc/sys/net/netfilter/nf_conntrack_events"

// listenConntrack begins to listen to new connections to the destinations; one without an address stands for any address with its port.
// Every connection that begins after it has returned is reported. It needs CAP_NET_ADMIN in the network namespace.
func listenConntrack(to ...netip.AddrPort) (*conntrackListener, error) {
	if err := checkAnnounced(eventsSetting); err != nil {
		return nil, fmt.Errorf("conntrack: %w", err)
	}
	l, err := openListener(queueSize, to)
	if errors.Is(err, unix.EPERM) {
		err = fmt.Errorf("%w: it needs CAP_NET_ADMIN", err)
	}
	if err != nil {
		return nil, err
	}
	go l.follow()
	return l, nil
}

// checkAnnounced returns an error if the kernel does not announce entries.
func checkAnnounced(setting string) error {
	text, err := os.ReadFile(setting)
	if err == nil && strings.TrimSpace(string(text)) == "0" {
		err = errors.New("net.netfilter.nf_conntrack_events is 0: the kernel does not report new connections")
	}
	return err
}

// openListener opens the socket; follow then receives the events.
func openListener(queue int, to []netip.AddrPort) (*conntrackListener, error) {
	program, err := bpf.Assemble(filter(to))
	if err != nil {
		return nil, fmt.Errorf("conntrack: filter: %w", err)
	}
	var instructions []unix.SockFilter
	for _, i := range program {
		instructions = append(instructions, unix.SockFilter{Code: i.Op, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	events, err := openSocket(queue, instructions, unix.NFNLGRP_CONNTRACK_NEW)
	if err != nil {
		return nil, fmt.Errorf("conntrack: listen: %w", err)
	}
	return &conntrackListener{to: to, events: events, ended: make(chan struct{}), whole: time.Now()}, nil
}

// follow receives events until the listener is closed.
func (l *conntrackListener) follow() {
	defer close(l.ended)
	l.events.Follow(l.handle, l.empty)
}

// Take returns the flows received since the last call. The error says why flows that began after the returned time may be
// missing.
func (l *conntrackListener) Take() (flows []routedFlow, since time.Time, lost error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	flows, since, lost = l.flows, l.since, l.lost
	l.flows, l.since, l.lost = nil, time.Time{}, nil
	return flows, since, lost
}

// Close ends the listener. Take still returns the flows received until then.
func (l *conntrackListener) Close() error {
	err := l.events.Interrupt()
	<-l.ended
	return errors.Join(err, l.events.Close())
}

// handle notes the flows of the events in a datagram. Events that are still in the queue after an error came before the lost ones.
func (l *conntrackListener) handle(datagram []byte, err error) {
	var events []message
	if errors.Is(err, unix.ENOBUFS) {
		err = errLost
	} else if err == nil {
		events, _, err = splitMessages(datagram)
	}
	for _, event := range events {
		c, malformed := parse(event)
		if err = cmp.Or(err, malformed); l.matches(c) {
			l.mu.Lock()
			l.flows = append(l.flows, routedFlow{time.Now(), c.client, c.to, c.pod})
			l.mu.Unlock()
		}
	}
	l.failure = cmp.Or(l.failure, err)
}

// empty is called when all events have been received. Only then are new ones queued again after a loss: until a queue that has
// overflowed is empty the kernel drops all events for it (Linux v6.18, net/netlink/af_netlink.c, netlink_rcv_wake).
func (l *conntrackListener) empty() {
	if l.failure != nil {
		l.mu.Lock()
		if l.lost == nil {
			l.since, l.lost = l.whole, l.failure
		}
		l.mu.Unlock()
	}
	l.whole, l.failure = time.Now(), nil
}

// matches reports whether a connection is to one of the destinations.
func (l *conntrackListener) matches(c connection) bool {
	return slices.ContainsFunc(l.to, func(d netip.AddrPort) bool {
		return d.Port() == c.to.Port() && (d.Addr() == c.to.Addr() || !d.Addr().IsValid() && c.to.IsValid())
	})
}
