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
)

// A source reads to which endpoints the node's rules route.
type source interface {
	// look waits for a change, at most until the time given, and returns the endpoints there are then, in
	// order, each once. After an error it can be asked again.
	look(ctx context.Context, until time.Time) ([]netip.AddrPort, error)
	// check returns an error if what look returned last was not so.
	check() error
	close() error
}

// sources open that of each data plane, and name its method.
var sources = map[string]func() (s source, method string, err error){
	dataplane.IPTables.Name: openIptables,
	dataplane.NFTables.Name: func() (source, string, error) {
		m, err := openTables()
		return m, "events", err
	},
	dataplane.IPVS.Name: func() (source, string, error) { return &polled{read: readIPVS}, "weights", nil },
}

// openSource opens the source for what a data plane writes.
func openSource(plane string) (s source, method string, err error) {
	open, known := sources[plane]
	if !known {
		return nil, "", fmt.Errorf("kube-proxy's mode %q: want %s", plane, strings.Join(dataplane.Names(), ", "))
	}
	return open()
}

// openIptables opens the source for the variant of iptables that has kube-proxy's rules; nf_tables if none has yet.
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

// kubeChains begins the names of kube-proxy's chains in tables that it shares with others.
const kubeChains = "KUBE-"

// openTables follows what kube-proxy writes into nf_tables, in nftables mode and in iptables mode, since a node's may be switched from
// the one to the other.
func openTables() (*mirror, error) {
	var followed []followedTable
	for _, family := range []byte{unix.NFPROTO_IPV4, unix.NFPROTO_IPV6} {
		followed = append(followed, followedTable{Family: family, Name: "kube-proxy"},
			followedTable{Family: family, Name: "nat", Chains: kubeChains})
	}
	m, err := openMirror(followed...)
	if errors.Is(err, unix.EPERM) {
		err = fmt.Errorf("%w: it takes CAP_NET_ADMIN", err)
	}
	return m, err
}

// polled reads rules whose changes the kernel does not announce, again and again.
type polled struct {
	read func() ([]netip.AddrPort, error)
	last []netip.AddrPort
	next time.Time // reads no sooner
}

// restPerRead is how many times the processor time of a read the pause after it is at least. How long the read took says
// nothing: on a busy node most of that is waiting.
const restPerRead = 50

// look reads when the time has come. What differs from the last time is read twice, since a table that
// changes while it is read can come out mixed.
func (p *polled) look(ctx context.Context, until time.Time) ([]netip.AddrPort, error) {
	pause(ctx, slices.MaxFunc([]time.Time{until, p.next}, time.Time.Compare))
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

// threadTime is the processor time that this thread has had.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

func (p *polled) check() error { return nil }
func (p *polled) close() error { return nil }

// pause waits until a time or the end of the context.
func pause(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
