//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// A cadence is how often an observer does what it does.
type cadence struct {
	look  time.Duration // longest wait of a look
	late  time.Duration // two looks further apart than this are a blindness
	ask   time.Duration // from a change of the rules to the question for its sync; kube-proxy syncs about once a second at most
	quiet time.Duration // between two questions while no rule changes
}

// Sparing is for nodes for which the usual is too much work.
var (
	usual   = cadence{20 * time.Millisecond, 50 * time.Millisecond, 500 * time.Millisecond, 10 * time.Second}
	sparing = cadence{100 * time.Millisecond, 250 * time.Millisecond, 2500 * time.Millisecond, 50 * time.Second}
)

// An observer compares each look at the rules with the one before, and writes what changed.
type observer struct {
	tape  *tape
	view  view
	proxy proxy
	gauge gauge
	every cadence

	changed   chan struct{} // holds a change that kube-proxy was not asked about yet
	endpoints []netip.AddrPort
	rules     sight
	syncs     sight
	loads     sight
	weighed   time.Time            // when the load was read last, well or not
	synced    map[string]time.Time // by address family
}

// A sight is how well something can be seen.
type sight struct {
	last    time.Time // when it was seen last
	failure error     // why it is not seen since
}

// An answer of kube-proxy to the question for its last syncs.
type answer struct {
	syncs []lastSync
	err   error
}

// run observes until the context ends, and ends the tape. The error is that the tape could not be written.
func (o *observer) run(ctx context.Context, mode, means string) error {
	began := time.Now()
	o.tape.begin(began, mode, means)
	o.rules.last, o.syncs.last, o.loads.last, o.synced = began, began, began, map[string]time.Time{}
	o.weighed = began
	_, o.loads.failure = o.gauge.read() // since the node was started; what follows is since this

	asking, stop := context.WithCancel(ctx)
	defer stop()
	answers := make(chan answer)
	o.changed = make(chan struct{}, 1)
	go o.ask(asking, answers)

	for until := began; ctx.Err() == nil && o.tape.err == nil; until = time.Now().Add(o.every.look) {
		o.look(ctx, until)
		select {
		case a := <-answers:
			o.hear(a)
		default:
		}
		if time.Since(o.weighed) >= loadEvery {
			o.weigh()
		}
	}
	stop()
	for range answers {
	}

	checked := o.view.check()
	now := time.Now()
	if checked != nil {
		o.tape.blind(now, began, "rules", checked)
	}
	o.unseen(now, &o.rules, "rules")
	o.unseen(now, &o.syncs, "syncs")
	o.unseen(now, &o.loads, "loads")
	o.tape.end(now)
	return o.tape.err
}

// look compares the endpoints there are at the next change, or at the time given, with those known.
func (o *observer) look(ctx context.Context, until time.Time) {
	endpoints, err := o.view.look(ctx, until)
	if err != nil {
		o.rules.failure = cmp.Or(o.rules.failure, err)
		pause(ctx, until)
		return
	}
	now := time.Now()
	if apart := now.Sub(o.rules.last); o.rules.failure == nil && apart > o.every.late {
		o.rules.failure = fmt.Errorf("no look for %s", apart.Round(time.Millisecond))
	}
	o.unseen(now, &o.rules, "rules")
	added, gone := compare(o.endpoints, endpoints)
	for _, e := range gone {
		o.tape.gone(now, e)
	}
	for _, e := range added {
		o.tape.added(now, e)
	}
	if len(gone)+len(added) > 0 {
		select {
		case o.changed <- struct{}{}:
		default:
		}
	}
	o.endpoints = endpoints
}

// hear writes the syncs that are news.
func (o *observer) hear(a answer) {
	if a.err != nil {
		o.syncs.failure = cmp.Or(o.syncs.failure, a.err)
		return
	}
	now := time.Now()
	o.unseen(now, &o.syncs, "syncs")
	for _, s := range a.syncs {
		if !s.at.Equal(o.synced[s.family]) {
			o.synced[s.family] = s.at
			o.tape.synced(now, s)
		}
	}
}

// weigh writes the node's load.
func (o *observer) weigh() {
	o.weighed = time.Now()
	l, err := o.gauge.read()
	if err != nil {
		o.loads.failure = cmp.Or(o.loads.failure, err)
		return
	}
	o.unseen(o.weighed, &o.loads, "loads")
	o.tape.load(o.weighed, l)
}

// unseen writes that a blindness is over, if there was one.
func (o *observer) unseen(now time.Time, s *sight, what string) {
	if s.failure != nil {
		o.tape.blind(now, s.last, what, s.failure)
	}
	*s = sight{last: now}
}

// ask asks kube-proxy for its syncs at the beginning and after changes until the context ends, then closes the channel.
// A page of its metrics costs kube-proxy about 3 ms of a processor.
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

// compare returns what only the second and what only the first of two ordered lists has.
func compare(before, after []netip.AddrPort) (added, gone []netip.AddrPort) {
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(before) == 0 || len(after) > 0 && after[0].Compare(before[0]) < 0:
			added, after = append(added, after[0]), after[1:]
		case len(after) == 0 || before[0].Compare(after[0]) < 0:
			gone, before = append(gone, before[0]), before[1:]
		default:
			before, after = before[1:], after[1:]
		}
	}
	return added, gone
}
