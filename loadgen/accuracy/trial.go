package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"rollcall/harness/evidence"
	"rollcall/loadgen"
)

// A trial is a lane driven through windows of one kind.
type trial struct {
	kind    kind
	conn    evidence.Conn
	rate    int             // per second
	quiet   time.Duration   // before the first window
	lengths []time.Duration // of windows, in this order
	seed    uint64          // of the gaps
}

// A recording is what injector and lane each had to say of a trial. Times are since the trial began.
type recording struct {
	trial   trial
	hits    []evidence.Hit
	windows []interval
	given   map[string]int           // good replies the injector gave, by version
	decided map[uint64]time.Duration // when the injector decided on a request, by sequence number
}

// An interval is a window on the clock of a recording.
type interval struct{ begin, end, doubt time.Duration }

func (i interval) length() time.Duration { return i.end - i.begin }

// timeout is after how long a lane gives up a request, of which stalled windows make one per request.
func (k kind) timeout() time.Duration {
	if k == stalled {
		return 500 * time.Millisecond
	}
	return loadgen.DefaultTimeout
}

func (t trial) interval() time.Duration { return time.Second / time.Duration(t.rate) }

func (t trial) lane() evidence.Lane {
	return evidence.Lane{ID: fmt.Sprintf("%d-%s", t.rate, t.conn), Vantage: evidence.FromHost, Conn: t.conn, Rate: t.rate}
}

// run drives the trial. An error means that nothing was measured.
func (t trial) run(ctx context.Context, ports *loadgen.LocalPorts) (recording, error) {
	injector, err := startInjector(t.kind)
	if err != nil {
		return recording{}, err
	}
	began := time.Now()
	lane := t.lane()
	lane.Target = injector.url()
	attack, err := loadgen.Start(ctx, lane, loadgen.Config{Began: began, Service: serviceName, Timeout: t.kind.timeout(), Ports: ports})
	if err != nil {
		injector.stop()
		return recording{}, fmt.Errorf("accuracy: start trial: %w", err)
	}
	windows, err := t.drive(ctx, injector)
	attack.Stop()
	hits, lost := allHits(attack)
	if err == nil {
		err = lost
	}
	if trouble := attack.Progress().Trouble; err == nil && trouble != "" {
		err = fmt.Errorf("accuracy: run %s trial of lane %s: %s", t.kind, lane.ID, trouble)
	}
	injector.stop()
	return t.record(began, hits, windows, injector), err
}

func allHits(attack *loadgen.Attack) ([]evidence.Hit, error) {
	var hits []evidence.Hit
	for {
		frame, err := attack.HitsFrom(len(hits))
		if err != nil {
			return nil, fmt.Errorf("accuracy: read hits: %w", err)
		}
		hits = append(hits, frame.Records...)
		if frame.End {
			return hits, nil
		}
	}
}

// drive opens one window after the other, with gaps between them that end anywhere within an interval.
func (t trial) drive(ctx context.Context, injector *injector) ([]window, error) {
	dice := rand.New(rand.NewPCG(t.seed, 0))
	gap := max(30*time.Millisecond, 5*t.interval())
	var windows []window
	wait(ctx, t.quiet)
	for _, length := range t.lengths {
		wait(ctx, gap+time.Duration(dice.Int64N(int64(t.interval()))))
		w, err := injector.fail(ctx, length)
		if err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	wait(ctx, gap)
	return windows, context.Cause(ctx)
}

// record puts everything on one clock. The injector has stopped.
func (t trial) record(began time.Time, hits []evidence.Hit, windows []window, injector *injector) recording {
	r := recording{trial: t, hits: hits, given: make(map[string]int), decided: make(map[uint64]time.Duration)}
	for n, w := range windows {
		if t.kind == mixed {
			w = injector.mixedWindow(n)
		}
		r.windows = append(r.windows, interval{begin: w.begin.Sub(began), end: w.end.Sub(began), doubt: w.doubt})
	}
	for seq, at := range injector.decided {
		r.decided[seq] = at.Sub(began)
	}
	for n, replies := range injector.given {
		r.given[versionName(n)] = replies.count
	}
	return r
}

// wait returns after a time, or when ctx is done.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
