package main

import (
	"context"
	"math"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/loadgen"
)

// timeout is how long a request may take.
const timeout = loadgen.DefaultTimeout

// A generator sends load in a process of its own.
type generator interface {
	name() string
	// send sends a load and returns when all of it is answered and the process has ended.
	send(ctx context.Context, to site, l load) (outcome, error)
}

// A load is what a generator is asked for.
type load struct {
	conn   evidence.Conn
	rate   int // per second; for a closed loop 0: what it is able to
	length time.Duration
}

// interval is the time between requests.
func (l load) interval() time.Duration { return time.Second / time.Duration(l.rate) }

// asked is how many requests the load has.
func (l load) asked() float64 { return float64(l.rate) * l.length.Seconds() }

// workers bounds the requests in flight, as loadgen.Start does.
func (l load) workers() int { return l.rate*int(timeout/time.Second)*3/2 + 10 }

// An outcome is what became of a load.
type outcome struct {
	requests int             // sent, also those after the end that belong to the generator's stopping
	answered float64         // good replies by the time the last request was due
	lags     []time.Duration // per request, sorted; nil when the generator does not tell
	cpu      time.Duration   // user and system, of the whole process
	peak     int64           // bytes resident at most; 0 when not measured
}

// held reports whether the generator kept up with what it was asked, to 99 %.
func (o outcome) held(l load) bool { return o.answered >= 0.99*l.asked() }

// cost is the processor time of one request, in microseconds.
func (o outcome) cost() float64 {
	return float64(o.cpu) / float64(time.Microsecond) / float64(o.requests)
}

// lag is the lag that a share of the requests does not exceed, in milliseconds.
func (o outcome) lag(share float64) float64 {
	return float64(quantile(o.lags, share)) / float64(time.Millisecond)
}

// A request is one of those a generator sent. Its times are offsets from any one instant.
type request struct {
	seq         int // from 0
	sent, ended time.Duration
	good        bool
}

// planOf is when the request with number 0 was due. Without one of a generator's own plan, it is what the most
// punctual request says.
func planOf(l load, requests []request) time.Duration {
	first := requests[0].sent
	for _, r := range requests {
		first = min(first, r.sent-time.Duration(r.seq)*l.interval())
	}
	return first
}

// settle counts requests, of a plan whose number 0 was due at the instant first.
func settle(l load, first time.Duration, requests []request) outcome {
	o := outcome{requests: len(requests)}
	for _, r := range requests {
		if r.good && r.ended < first+l.length {
			o.answered++
		}
		o.lags = append(o.lags, r.sent-first-time.Duration(r.seq)*l.interval())
	}
	slices.Sort(o.lags)
	return o
}

// quantile is the smallest of sorted values that a share of them does not exceed; 0 of no values.
func quantile[N time.Duration | float64](sorted []N, share float64) N {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}
