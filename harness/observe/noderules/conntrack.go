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

// A routedFlow is a connection that was routed. One that was rejected or dropped before that is none.
type routedFlow struct {
	Received time.Time      // when the event was, or the table was read that has it
	Client   netip.AddrPort // source of the original tuple
	To       netip.AddrPort // its destination
	Pod      netip.AddrPort // source of the reply's tuple
}

// A conntrackListener hears of each TCP connection to given destinations to which pod it was sent, as the kernel's connection tracking
// notes it: by the events about new entries of its table. Its methods may be called by several goroutines.
//
// It is written anew since github.com/ti-mo/conntrack (v0.6) has neither a filter in the kernel nor a way to go on after a loss:
// its workers decode each event of the node and end with the first error, ENOBUFS among them.
type conntrackListener struct {
	to       []netip.AddrPort
	events   *socket // hears
	requests *socket // asks
	ended    chan struct{}

	// Of the goroutine that receives.
	known   map[identity]struct{} // entries that were told, or there before
	early   map[identity]struct{} // entries that were told from the table, whose events may still come
	limit   int                   // of known: above it those are forgotten that are not in the table any more
	whole   time.Time             // when all events had been received
	failure error                 // since then

	mu    sync.Mutex
	flows []routedFlow
	since time.Time
	lost  error
}

const (
	// knownLimit is the smallest limit of known entries, which take about 5 MiB. 700 connections/s reach it in a minute and a half.
	knownLimit = 1 << 16

	// eventsSetting is 0 where the kernel announces no entries; 2 if it does as long as somebody listens, which is its default
	// (Linux v6.18, Documentation/networking/nf_conntrack-sysctl.rst).
	eventsSetting = "/proc/sys/net/netfilter/nf_conntrack_events"
)

// listenConntrack begins to listen to new connections to the destinations; one without an address stands for any address with its port.
// Every connection that is begun after it returned is told. It needs CAP_NET_ADMIN in the network namespace.
func listenConntrack(to ...netip.AddrPort) (*conntrackListener, error) {
	if err := announced(eventsSetting); err != nil {
		return nil, fmt.Errorf("conntrack: %w", err)
	}
	l, err := openListener(queueSize, to)
	if errors.Is(err, unix.EPERM) {
		err = fmt.Errorf("%w: it takes CAP_NET_ADMIN", err)
	}
	if err != nil {
		return nil, err
	}
	go l.follow()
	return l, nil
}

// announced returns an error where the kernel does not announce entries.
func announced(setting string) error {
	text, err := os.ReadFile(setting)
	if err == nil && strings.TrimSpace(string(text)) == "0" {
		err = errors.New("net.netfilter.nf_conntrack_events is 0: the kernel does not tell of new connections")
	}
	return err
}

// openListener reads the table, and leaves the events to follow.
func openListener(queue int, to []netip.AddrPort) (*conntrackListener, error) {
	program, err := bpf.Assemble(filter(to))
	if err != nil {
		return nil, fmt.Errorf("conntrack: filter: %w", err)
	}
	var instructions []unix.SockFilter
	for _, i := range program {
		instructions = append(instructions, unix.SockFilter{Code: i.Op, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	// The table is asked for by another socket: the filter would see but the first entry of a datagram that has many.
	events, err := openSocket(queue, instructions, unix.NFNLGRP_CONNTRACK_NEW)
	if err != nil {
		return nil, fmt.Errorf("conntrack: listen: %w", err)
	}
	requests, err := openSocket(queueSize, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("conntrack: %w", err), events.Close())
	}
	l := &conntrackListener{to: to, events: events, requests: requests, ended: make(chan struct{}), whole: time.Now()}
	if err := l.read(false); err != nil {
		return nil, errors.Join(err, events.Close(), requests.Close())
	}
	return l, nil
}

// follow hears events until the listener is closed.
func (l *conntrackListener) follow() {
	defer close(l.ended)
	l.events.Follow(l.hear, l.empty)
}

// Take returns the flows that were received since it was called last. An error says why not all may be among them that began
// since the time that is returned with it.
func (l *conntrackListener) Take() (flows []routedFlow, since time.Time, lost error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	flows, since, lost = l.flows, l.since, l.lost
	l.flows, l.since, l.lost = nil, time.Time{}, nil
	return flows, since, lost
}

// Close ends the listener. What it received until then can still be taken.
func (l *conntrackListener) Close() error {
	err := l.events.Interrupt()
	<-l.ended
	return errors.Join(err, l.events.Close(), l.requests.Close())
}

// hear notes the flow of an event. The events that are still in the queue after an error came before those that were lost.
func (l *conntrackListener) hear(datagram []byte, err error) {
	var events []message
	if errors.Is(err, unix.ENOBUFS) {
		err = errLost
	} else if err == nil {
		events, _, err = splitMessages(datagram)
	}
	for _, event := range events {
		c, malformed := parse(event)
		if err = cmp.Or(err, malformed); l.asked(c) {
			l.tell(c)
		}
	}
	l.failure = cmp.Or(l.failure, err)
}

// empty takes note that all events were received. Only now are new ones queued again after a loss: until its queue is empty the
// kernel drops all for who was late once (Linux v6.18, net/netlink/af_netlink.c, netlink_rcv_wake).
func (l *conntrackListener) empty() {
	l.early = nil
	now := time.Now()
	if l.failure != nil || len(l.known) > l.limit {
		l.failure = errors.Join(l.failure, l.read(l.failure != nil))
	}
	if l.failure != nil {
		l.mu.Lock()
		if l.lost == nil {
			l.since, l.lost = l.whole, l.failure
		}
		l.mu.Unlock()
	}
	l.whole, l.failure = now, nil
}

// read reads the table. If events were lost, it tells of the entries that were not told yet.
func (l *conntrackListener) read(lost bool) error {
	there := map[identity]connection{}
	r := request{Subsystem: unix.NFNL_SUBSYS_CTNETLINK, Kind: getConnection, Flags: unix.NLM_F_DUMP}
	err := l.requests.Ask(r, func(m message) error {
		c, err := parse(m)
		if l.asked(c) {
			there[c.identity] = c
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("conntrack: read table: %w", err)
	}
	before := l.known
	l.known, l.early, l.limit = map[identity]struct{}{}, map[identity]struct{}{}, max(knownLimit, 2*len(there))
	for i, c := range there {
		l.known[i] = struct{}{}
		if _, known := before[i]; lost && !known {
			l.tell(c)
			l.early[i] = struct{}{}
		}
	}
	return nil
}

// asked reports whether a connection is to one of the destinations.
func (l *conntrackListener) asked(c connection) bool {
	return slices.ContainsFunc(l.to, func(d netip.AddrPort) bool {
		return d.Port() == c.to.Port() && (d.Addr() == c.to.Addr() || !d.Addr().IsValid() && c.to.IsValid())
	})
}

func (l *conntrackListener) tell(c connection) {
	if _, told := l.early[c.identity]; told {
		delete(l.early, c.identity)
		return
	}
	l.known[c.identity] = struct{}{}
	l.mu.Lock()
	l.flows = append(l.flows, routedFlow{time.Now(), c.client, c.to, c.pod})
	l.mu.Unlock()
}
