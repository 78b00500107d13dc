//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/poll"
)

// A source reads the endpoints to which the node's rules route.
type source interface {
	// look waits for a change, at most until a time, and returns the endpoints sorted and without
	// repetition. It can be called again after an error.
	look(ctx context.Context, until time.Time) ([]netip.AddrPort, error)
	// check returns an error if the last result of look is not what the kernel has.
	check() error
	close() error
}

// sources has for each data plane a function that opens its source and names the method.
var sources = map[string]func() (s source, method string, err error){
	dataplane.IPTables.Name: openIptables,
	dataplane.NFTables.Name: func() (source, string, error) {
		m, err := openTables()
		return m, "events", err
	},
	dataplane.IPVS.Name: func() (source, string, error) { return &polled{read: readIPVS}, "weights", nil },
}

// openSource opens the source for the rules of a data plane.
func openSource(plane string) (s source, method string, err error) {
	open, known := sources[plane]
	if !known {
		return nil, "", fmt.Errorf("data plane %q: want %s", plane, strings.Join(dataplane.Names(), ", "))
	}
	return open()
}

// openIptables opens the source for the variant of iptables with kube-proxy's rules, or nf_tables if neither has any yet.
func openIptables() (source, string, error) {
	m, err := openTables()
	if err != nil || len(m.endpoints) > 0 {
		return m, "events", err
	}
	entries, err := readLegacyTables()
	switch {
	case err != nil:
		return nil, "", errors.Join(err, m.close())
	case len(entries) == 0:
		return m, "events", nil
	}
	return &polled{read: readLegacyTables}, "entries", m.close()
}

// kubeChains is the prefix of the names of kube-proxy's chains in tables that it shares with others.
const kubeChains = "KUBE-"

// openTables follows the tables of kube-proxy's nftables mode and iptables mode, since a node may be switched from one to the
// other.
func openTables() (*mirror, error) {
	var followed []followedTable
	for _, family := range []byte{unix.NFPROTO_IPV4, unix.NFPROTO_IPV6} {
		followed = append(followed, followedTable{Family: family, Name: "kube-proxy"},
			followedTable{Family: family, Name: "nat", Chains: kubeChains})
	}
	m, err := openMirror(followed...)
	if errors.Is(err, unix.EPERM) {
		err = fmt.Errorf("%w: it needs CAP_NET_ADMIN", err)
	}
	return m, err
}

// polled reads rules whose changes the kernel does not announce.
type polled struct {
	read func() ([]netip.AddrPort, error)
	last []netip.AddrPort
	next time.Time // earliest time of the next read
}

// restPerRead is the least pause after a read, as a multiple of the read's processor time. Its wall-clock time does not
// count: on a busy node most of that is waiting.
const restPerRead = 50

// look reads the rules at the time given, or later. After a change it reads until two reads agree, since a table that
// changes during a read can come out mixed.
func (p *polled) look(ctx context.Context, until time.Time) ([]netip.AddrPort, error) {
	poll.Pause(ctx, max(time.Until(until), time.Until(p.next)))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	defer func() { p.next = time.Now().Add(restPerRead * (threadTime() - began)) }()
	found, err := p.read()
	for err == nil && !slices.Equal(found, p.last) {
		p.last = found
		found, err = p.read()
	}
	return found, err
}

// threadTime returns the processor time that this thread has used.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

func (p *polled) check() error { return nil }
func (p *polled) close() error { return nil }
