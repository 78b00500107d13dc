//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"rollcall/harness/observe/noderules/nftables"
)

// A view shows to which endpoints the node's rules route.
type view interface {
	// look waits for a change, at most until the time given, and returns the endpoints there are then, in
	// order, each once. After an error it can be asked again.
	look(ctx context.Context, until time.Time) ([]netip.AddrPort, error)
	// check returns an error if what look returned last was not so.
	check() error
	close() error
}

// openView opens the view of what kube-proxy in a mode writes, and names its means.
func openView(mode string) (v view, means string, err error) {
	switch mode {
	case "nftables":
		v, err = openTables("kube-proxy", "")
		return v, "events", err
	case "iptables":
		return openIptables()
	case "ipvs":
		return &polled{read: weights}, "weights", nil
	default:
		return nil, "", fmt.Errorf("kube-proxy's mode %q: want iptables, nftables or ipvs", mode)
	}
}

// openIptables opens the view of the iptables that has kube-proxy's rules; nf_tables if none has yet.
func openIptables() (view, string, error) {
	v, err := openTables("nat", kubeChains)
	if err != nil || len(v.mirror.Endpoints()) > 0 {
		return v, "events", err
	}
	entries, err := readEntries()
	switch {
	case err != nil:
		return nil, "", errors.Join(err, v.close())
	case len(entries) == 0:
		return v, "events", nil
	}
	return &polled{read: readEntries}, "entries", v.close()
}

// kubeChains begins the names of kube-proxy's chains in tables that it shares with others.
const kubeChains = "KUBE-"

// tables is the view of nf_tables.
type tables struct{ mirror *nftables.Mirror }

func openTables(name, chains string) (*tables, error) {
	mirror, err := nftables.Open(
		nftables.Table{Family: unix.NFPROTO_IPV4, Name: name, Chains: chains},
		nftables.Table{Family: unix.NFPROTO_IPV6, Name: name, Chains: chains},
	)
	if errors.Is(err, unix.EPERM) {
		err = fmt.Errorf("%w: it takes CAP_NET_ADMIN", err)
	}
	return &tables{mirror}, err
}

func (t *tables) look(_ context.Context, until time.Time) ([]netip.AddrPort, error) {
	err := t.mirror.Await(until)
	return t.mirror.Endpoints(), err
}

func (t *tables) check() error { return t.mirror.Check() }
func (t *tables) close() error { return t.mirror.Close() }

// polled is the view of rules that tell of no change: it reads them again and again.
type polled struct {
	read func() ([]netip.AddrPort, error)
	last []netip.AddrPort
	rest time.Time // reads no sooner
}

// restPerRead is how many times the processor time of a read the pause after it is at least. How long the read took says
// nothing: on a busy node most of that is waiting.
const restPerRead = 50

// look reads when the time has come. What differs from the last time is read twice, since a table that
// changes while it is read can come out mixed.
func (p *polled) look(ctx context.Context, until time.Time) ([]netip.AddrPort, error) {
	pause(ctx, later(until, p.rest))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	defer func() { p.rest = time.Now().Add(restPerRead * (threadTime() - began)) }()
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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
