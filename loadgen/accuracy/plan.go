package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"rollcall/harness/evidence"
	"rollcall/loadgen"
)

// cleanRuns is how many runs without a window there are, and cleanFor how long each is.
const (
	cleanRuns = 10
	cleanFor  = 4 * time.Second
)

// repeatFor is how long after the beginning a round of disturbed windows may still be planned.
const repeatFor = 150 * time.Second

// rates are asked of lanes, per second.
func rates() []int { return []int{100, 200, 1000} }

// lengths are those of the windows a trial has, in the order of the table, and how often it has each.
func lengths() []repeated {
	return []repeated{
		{2 * time.Millisecond, 5},
		{5 * time.Millisecond, 5},
		{10 * time.Millisecond, 5},
		{20 * time.Millisecond, 5},
		{50 * time.Millisecond, 5},
		{100 * time.Millisecond, 5},
		{500 * time.Millisecond, 5},
		{time.Second, 3},
		{5 * time.Second, 2},
	}
}

// A repeated length is that of several windows.
type repeated struct {
	length time.Duration
	times  int
}

// rounds lists what is measured: a round per kind, then the clean runs. A round has a trial of every rate and
// kind of connection, which run at the same time.
func rounds() [][]trial {
	var all [][]trial
	for _, k := range []kind{refused, reset, stalled, wrongServer, mixed} {
		all = append(all, round(k, 200*time.Millisecond, lengths()))
	}
	for range cleanRuns {
		all = append(all, round(clean, cleanFor, nil))
	}
	return all
}

func round(k kind, quiet time.Duration, windows []repeated) []trial {
	var trials []trial
	for _, rate := range rates() {
		for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
			t := trial{kind: k, conn: conn, rate: rate, quiet: quiet, seed: uint64(len(trials))}
			t.lengths = shuffled(windows, t.seed)
			trials = append(trials, t)
		}
	}
	return trials
}

// shuffled mixes the windows, so that the long ones of lanes that run together do not fall together.
func shuffled(windows []repeated, seed uint64) []time.Duration {
	var all []time.Duration
	for _, w := range windows {
		all = append(all, slices.Repeat([]time.Duration{w.length}, w.times)...)
	}
	dice := rand.New(rand.NewPCG(seed, 1))
	dice.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// together runs trials at the same time, and measures once all are over, so that they are not held up by it.
func together(ctx context.Context, trials []trial) ([]outcome, error) {
	ports := loadgen.NewLocalPorts()
	recordings := make([]recording, len(trials))
	group, ctx := errgroup.WithContext(ctx)
	for i, t := range trials {
		group.Go(func() (err error) {
			recordings[i], err = t.run(ctx, ports)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	outcomes := make([]outcome, 0, len(trials))
	for _, r := range recordings {
		o, err := r.measure()
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// disturbed lists the trials to repeat: of those with windows, the windows that were disturbed.
func disturbed(outcomes []outcome) []trial {
	var trials []trial
	for _, o := range outcomes {
		if t := o.again(); len(t.lengths) > 0 || t.kind == clean && o.heldUp() {
			trials = append(trials, t)
		}
	}
	return trials
}
