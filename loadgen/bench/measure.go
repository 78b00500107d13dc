package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A plan is how much to measure.
type plan struct {
	rounds    uint // of all but memory
	memoryFor time.Duration
}

// What is measured, and for how long.
const (
	probeFor   = time.Second // of each rate that a search tries
	steadyFor  = 2 * time.Second
	lagRate    = 1000
	memoryRate = 1000
)

// steadyRates are those whose cost is measured, per second.
func steadyRates() []int { return []int{1000, 2000} }

func conns() []evidence.Conn { return []evidence.Conn{evidence.Fresh, evidence.Reused} }

// A climb is where the search for the highest rate of each generator over a kind of connection begins: at what it
// came to in the round before and, in the first one, at what the generator before it came to.
type climb struct {
	latest rung
	last   map[string]rung
}

func (c *climb) from(g generator) rung {
	if last, ok := c.last[g.name()]; ok {
		return last
	}
	return c.latest
}

func (c *climb) came(g generator, to rung) { c.latest, c.last[g.name()] = to, to }

// measure does what is planned, and says on progress what it is at.
func (r *testbed) measure(ctx context.Context, p plan, progress io.Writer) (figures, error) {
	began := time.Now()
	f := newFigures(p)
	climbs := map[evidence.Conn]*climb{}
	for _, conn := range conns() {
		climbs[conn] = &climb{latest: likely, last: map[string]rung{}}
	}
	pair := []generator{r.agent, r.vegeta}
	for n := range p.rounds {
		fmt.Fprintf(progress, "%3.0fs round %d of %d\n", time.Since(began).Seconds(), n+1, p.rounds)
		for _, conn := range conns() {
			for _, g := range pair {
				if err := r.highest(ctx, f, g, conn, climbs[conn]); err != nil {
					return f, err
				}
			}
			if err := r.fastest(ctx, f, r.fortio, conn); err != nil {
				return f, err
			}
		}
		for _, rate := range steadyRates() {
			for _, g := range pair {
				if err := r.steady(ctx, f, g, rate); err != nil {
					return f, err
				}
			}
		}
		slices.Reverse(pair)
	}
	fmt.Fprintf(progress, "%3.0fs memory, %s\n", time.Since(began).Seconds(), p.memoryFor)
	o, err := r.sendHeld(ctx, r.agent, load{conn: evidence.Fresh, rate: memoryRate, length: p.memoryFor})
	f.memory.add(r.agent, float64(o.peak)/(1<<20))
	fmt.Fprintf(progress, "%3.0fs done\n", time.Since(began).Seconds())
	return f, err
}

// highest searches for the highest rate that a generator holds.
func (r *testbed) highest(ctx context.Context, f figures, g generator, conn evidence.Conn, c *climb) error {
	var busy float64 // share of its processors that the app used at the highest rung that was held
	to, err := highest(c.from(g), func(at rung) (bool, error) {
		l := load{conn: conn, rate: at.rate(), length: probeFor}
		o, share, err := r.send(ctx, g, l)
		if err != nil {
			return false, err
		}
		if o.held(l) {
			busy = max(busy, share)
		}
		return o.held(l), nil
	})
	if err != nil {
		return err
	}
	c.came(g, to)
	f.highest[conn].add(g, float64(to.rate()))
	f.app[conn].add(g, 100*busy)
	return nil
}

// fastest is highest for a closed loop, which holds whatever it is able to send.
func (r *testbed) fastest(ctx context.Context, f figures, g generator, conn evidence.Conn) error {
	o, share, err := r.send(ctx, g, load{conn: conn, length: probeFor})
	if err != nil {
		return err
	}
	f.highest[conn].add(g, o.answered/probeFor.Seconds())
	f.app[conn].add(g, 100*share)
	return nil
}

// steady measures what requests cost at a rate every generator holds, and how late they are sent.
func (r *testbed) steady(ctx context.Context, f figures, g generator, rate int) error {
	o, err := r.sendHeld(ctx, g, load{conn: evidence.Fresh, rate: rate, length: steadyFor})
	if err != nil {
		return err
	}
	f.cost[rate].add(g, o.cost())
	if rate == lagRate && o.lags != nil {
		f.lag50.add(g, o.lag(0.5))
		f.lag99.add(g, o.lag(0.99))
	}
	return nil
}
