//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// A cadence is how often an observer looks at rules.
type cadence struct {
	look time.Duration // longest time that a look waits for a change
	late time.Duration // between two looks, above which a blind line is written
}

func usualCadence() cadence { return cadence{20 * time.Millisecond, evidence.LookGap} }

// sparingCadence returns the cadence for nodes on which the usual one is too much work.
func sparingCadence() cadence { return cadence{100 * time.Millisecond, evidence.SparingLookGap} }

// An observer compares each look at the rules with the one before, and writes the differences.
type observer struct {
	out    *lineWriter
	source source
	load   loadReader
	every  cadence
	asked  selection

	endpoints []netip.AddrPort
	looked    time.Time // last look at the rules
	failure   error     // why there was none since then
	loadRead  time.Time // last attempt to read the load
}

// run observes until the context ends, and then writes the last line. It returns an error if the output could not be written.
func (o *observer) run(ctx context.Context, plane, method string) error {
	began := time.Now()
	o.out.begin(began, plane, method)
	o.looked, o.loadRead = began, began
	connections := listen(o.out, o.asked)
	if _, err := o.load.read(); err != nil { // the load since boot; the next one is since this one
		o.out.blind(began, began, "loads", err)
	}
	for until := began; ctx.Err() == nil && o.out.err == nil; until = time.Now().Add(o.every.look) {
		o.look(ctx, until)
		if time.Since(o.loadRead) >= loadEvery {
			o.writeLoad()
		}
		connections.write(o.out)
	}

	checked := o.source.check()
	unheard := connections.end(o.out)
	now := time.Now()
	if checked != nil {
		o.out.blind(now, began, "rules", checked)
	}
	o.seen(now)
	o.out.end(now)
	return cmp.Or(o.out.err, unheard)
}

// look waits for the next change, or until a time, and writes how the endpoints differ from those known.
func (o *observer) look(ctx context.Context, until time.Time) {
	endpoints, err := o.source.look(ctx, until)
	if err != nil {
		o.failure = cmp.Or(o.failure, err)
		poll.Pause(ctx, time.Until(until))
		return
	}
	now := time.Now()
	if apart := now.Sub(o.looked); o.failure == nil && apart > o.every.late {
		o.failure = fmt.Errorf("no look for %s", apart.Round(time.Millisecond))
	}
	o.seen(now)
	for _, e := range without(o.endpoints, endpoints) {
		o.out.gone(now, e)
	}
	for _, e := range without(endpoints, o.endpoints) {
		o.out.added(now, e)
	}
	o.endpoints = endpoints
}

// seen notes that the rules have been looked at now, and writes a blind line if they could not be since the last look.
func (o *observer) seen(now time.Time) {
	if o.failure != nil {
		o.out.blind(now, o.looked, "rules", o.failure)
	}
	o.looked, o.failure = now, nil
}

func (o *observer) writeLoad() {
	last := o.loadRead
	o.loadRead = time.Now()
	l, err := o.load.read()
	if err != nil {
		o.out.blind(o.loadRead, last, "loads", err)
		return
	}
	o.out.load(o.loadRead, l)
}

// without returns the elements that only the first of two ordered lists has.
func without(some, others []netip.AddrPort) []netip.AddrPort {
	return slices.DeleteFunc(slices.Clone(some), func(e netip.AddrPort) bool {
		_, known := slices.BinarySearchFunc(others, e, netip.AddrPort.Compare)
		return known
	})
}
