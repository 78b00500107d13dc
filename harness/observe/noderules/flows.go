//go:build linux

package main

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	flowsEvery = 250 * time.Millisecond

	// flowsPerLine keeps a line below the 16 KiB at which a container runtime breaks it (containerd v2.1, max_container_log_line_size).
	flowsPerLine = 100
)

// A selection holds the values of -flows and -clients: which connections to write.
type selection struct {
	to   []netip.AddrPort // their destinations; none: no connections
	from []netip.Addr     // their clients; none: all
}

// flows writes the connections that conntrack reports.
type flows struct {
	listener listener // nil: not asked for, or impossible
	from     []netip.Addr
	next     time.Time
}

// A listener is the part of a conntrackListener that flows needs; tests have their own.
type listener interface {
	Take() (taken []routedFlow, since time.Time, lost error)
	Close() error
}

// listen begins to listen to the connections asked for, if any, and writes that it does or why it cannot.
func listen(w *lineWriter, s selection) flows {
	if len(s.to) == 0 {
		return flows{}
	}
	l, err := listenConntrack(s.to...)
	if err != nil {
		w.noFlows(time.Now(), err)
		return flows{}
	}
	w.flows(time.Now())
	return flows{listener: l, from: s.from}
}

// write writes the connections since the last write, if that is long enough ago.
func (f *flows) write(w *lineWriter) {
	now := time.Now()
	if f.listener == nil || now.Before(f.next) {
		return
	}
	f.next = now.Add(flowsEvery)
	taken, since, lost := f.listener.Take()
	taken = slices.DeleteFunc(taken, func(h routedFlow) bool { return len(f.from) > 0 && !slices.Contains(f.from, h.Client.Addr()) })
	now = time.Now() // later than all flows, so that no age is negative
	for some := range slices.Chunk(taken, flowsPerLine) {
		w.flow(now, some)
	}
	if lost != nil {
		w.blind(now, since, "flows", lost)
	}
}

// end stops the listener and writes the connections until now.
func (f *flows) end(w *lineWriter) error {
	if f.listener == nil {
		return nil
	}
	err := f.listener.Close()
	f.next = time.Time{}
	f.write(w)
	return err
}

// parseDestinations parses addresses with ports, separated by commas. A port without an address stands for any address.
func parseDestinations(text string) (to []netip.AddrPort, err error) {
	for word := range strings.SplitSeq(text, ",") {
		d, failure := netip.ParseAddrPort(word)
		if port, anywhere := strings.CutPrefix(word, ":"); anywhere {
			var number uint64
			number, failure = strconv.ParseUint(port, 10, 16)
			d = netip.AddrPortFrom(netip.Addr{}, uint16(number))
		}
		if failure != nil || d.Port() == 0 || d.Addr().Zone() != "" {
			err = errors.Join(err, fmt.Errorf("destination %q: want ADDRESS:PORT, or :PORT for any address", word))
		}
		to = append(to, d)
	}
	return to, err
}

// parseClients parses addresses, separated by commas.
func parseClients(text string) (from []netip.Addr, err error) {
	for word := range strings.SplitSeq(text, ",") {
		a, failure := netip.ParseAddr(word)
		if failure != nil || a.Zone() != "" {
			err = errors.Join(err, fmt.Errorf("client %q: want an address", word))
		}
		from = append(from, a)
	}
	return from, err
}
