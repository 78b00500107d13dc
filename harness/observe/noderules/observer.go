//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// A cadence is how often an observer looks at rules and asks kube-proxy.
type cadence struct {
	look  time.Duration // longest time that a look waits for a change
	late  time.Duration // between two looks, above which a blind line is written
	ask   time.Duration // from a change of the rules until kube-proxy, which syncs about once a second at most, is asked for its syncs
	quiet time.Duration // between two requests to kube-proxy while no rule changes
}

func usualCadence() cadence {
	return cadence{20 * time.Millisecond, 50 * time.Millisecond, 500 * time.Millisecond, 10 * time.Second}
}

// sparingCadence returns the cadence for nodes on which the usual one is too much work.
func sparingCadence() cadence {
	return cadence{100 * time.Millisecond, 250 * time.Millisecond, 2500 * time.Millisecond, 50 * time.Second}
}

// An observer compares each look at the rules with the one before, and writes the differences.
type observer struct {
	out    *lineWriter
	source source
	proxy  proxy
	load   loadReader
	every  cadence
	asked  selection

	changed   chan struct{} // has a value if kube-proxy must be asked after a change
	endpoints []netip.AddrPort
	rules     freshness
	syncs     freshness
	loads     freshness
	loadRead  time.Time            // last attempt to read the load
	synced    map[string]time.Time // last sync, by address family
	failures  int                  // failed syncs that kube-proxy has reported; -1: not asked yet
}

// A freshness is when something was last read, and why it could not be read since then.
type freshness struct {
	last    time.Time
	failure error
}

// An answer is kube-proxy's answer to a request for its last syncs.
type answer struct {
	syncs syncState
	err   error
}

// run observes until the context ends, and then writes the last line. It returns an error if the output could not be written.
func (o *observer) run(ctx context.Context, mode, method string) error {
	began := time.Now()
	o.out.begin(began, mode, method)
	o.rules.last, o.syncs.last, o.loads.last, o.synced = began, began, began, map[string]time.Time{}
	o.failures = -1
	o.loadRead = began
	connections := listen(o.out, o.asked)
	_, o.loads.failure = o.load.read() // covers the time since boot; the next one covers the time since this one

	asking, stop := context.WithCancel(ctx)
	defer stop()
	answers := make(chan answer)
	o.changed = make(chan struct{}, 1)
	go o.ask(asking, answers)

	for until := began; ctx.Err() == nil && o.out.err == nil; until = time.Now().Add(o.every.look) {
		o.look(ctx, until)
		select {
		case a := <-answers:
			o.writeSyncs(a)
		default:
		}
		if time.Since(o.loadRead) >= loadEvery {
			o.writeLoad()
		}
		connections.write(o.out)
	}
	stop()
	for range answers {
	}

	checked := o.source.check()
	unheard := connections.end(o.out)
	now := time.Now()
	if checked != nil {
		o.out.blind(now, began, "rules", checked)
	}
	o.writeBlind(now, &o.rules, "rules")
	o.writeBlind(now, &o.syncs, "syncs")
	o.writeBlind(now, &o.loads, "loads")
	o.out.end(now)
	return cmp.Or(o.out.err, unheard)
}

// look waits for the next change, or until a time, and writes how the endpoints differ from those known.
func (o *observer) look(ctx context.Context, until time.Time) {
	endpoints, err := o.source.look(ctx, until)
	if err != nil {
		o.rules.failure = cmp.Or(o.rules.failure, err)
		pause(ctx, until)
		return
	}
	now := time.Now()
	if apart := now.Sub(o.rules.last); o.rules.failure == nil && apart > o.every.late {
		o.rules.failure = fmt.Errorf("no look for %s", apart.Round(time.Millisecond))
	}
	o.writeBlind(now, &o.rules, "rules")
	added, gone := without(endpoints, o.endpoints), without(o.endpoints, endpoints)
	for _, e := range gone {
		o.out.gone(now, e)
	}
	for _, e := range added {
		o.out.added(now, e)
	}
	if len(gone)+len(added) > 0 {
		select {
		case o.changed <- struct{}{}:
		default:
		}
	}
	o.endpoints = endpoints
}

func (o *observer) writeSyncs(a answer) {
	if a.err != nil {
		o.syncs.failure = cmp.Or(o.syncs.failure, a.err)
		return
	}
	now := time.Now()
	o.writeBlind(now, &o.syncs, "syncs")
	if o.failures >= 0 && a.syncs.failures > o.failures {
		o.out.failed(now, a.syncs.failures-o.failures)
	}
	o.failures = a.syncs.failures
	for _, s := range a.syncs.last {
		if !s.at.Equal(o.synced[s.family]) {
			o.synced[s.family] = s.at
			o.out.synced(now, s)
		}
	}
}

func (o *observer) writeLoad() {
	o.loadRead = time.Now()
	l, err := o.load.read()
	if err != nil {
		o.loads.failure = cmp.Or(o.loads.failure, err)
		return
	}
	o.writeBlind(o.loadRead, &o.loads, "loads")
	o.out.load(o.loadRead, l)
}

// writeBlind writes a blind line if there is a failure, and notes that something has been read now.
func (o *observer) writeBlind(now time.Time, f *freshness, what string) {
	if f.failure != nil {
		o.out.blind(now, f.last, what, f.failure)
	}
	*f = freshness{last: now}
}

// ask asks kube-proxy for its syncs at the beginning and after changes until the context ends, then closes the channel.
// Each page of metrics takes kube-proxy about 3 ms of processor time.
func (o *observer) ask(ctx context.Context, answers chan<- answer) {
	defer close(answers)
	for ctx.Err() == nil {
		syncs, err := o.proxy.syncs(ctx)
		if errors.Is(err, context.Canceled) {
			return
		}
		select {
		case answers <- answer{syncs, err}:
		case <-ctx.Done():
		}
		select {
		case <-o.changed:
			pause(ctx, time.Now().Add(o.every.ask))
		case <-time.After(o.every.quiet):
		case <-ctx.Done():
		}
	}
}

// without returns the elements that only the first of two ordered lists has.
func without(some, others []netip.AddrPort) []netip.AddrPort {
	return slices.DeleteFunc(slices.Clone(some), func(e netip.AddrPort) bool {
		_, known := slices.BinarySearchFunc(others, e, netip.AddrPort.Compare)
		return known
	})
}
