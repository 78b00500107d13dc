package loadgen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"example.com/rollcall/harness/evidence"
)

// DefaultTimeout is how long a request may take when a Config does not say.
const DefaultTimeout = 2 * time.Second

// DefaultUnasked is for how long an agent loads without being asked for its hits when a Config does not say: nobody may be there
// any more.
const DefaultUnasked = time.Hour

// A Config is what the lanes of a run have in common.
type Config struct {
	Began    time.Time     `json:"began"`               // the run's; times in hits are offsets from it
	At       time.Time     `json:"at,omitzero"`         // when the pacer starts; zero or past: at once
	Service  string        `json:"service"`             // whose replies are good
	Timeout  time.Duration `json:"timeout,omitempty"`   // from sending until the whole reply is read; zero: DefaultTimeout
	UserHTTP *UserHTTP     `json:"user_http,omitempty"` // of a userapp; nil: the app is Rollcall's own, as that of control lanes always is
	// Unasked is for how long an [Agent] loads without being asked for its hits; zero: DefaultUnasked.
	Unasked time.Duration `json:"unasked,omitempty"`

	Ports *LocalPorts `json:"-"` // that all lanes of the process dial from; nil: the lane has its own
	// Note is told of what lanes met beside their hits, and may be called by several at a time; nil: nobody wants to know.
	Note func(evidence.Event) `json:"-"`
}

// whole has what is meant where nothing is said.
func (cfg Config) whole() Config {
	cfg.Timeout, cfg.Unasked = cmp.Or(cfg.Timeout, DefaultTimeout), cmp.Or(cfg.Unasked, DefaultUnasked)
	if cfg.Ports == nil {
		cfg.Ports = NewLocalPorts()
	}
	return cfg
}

// An Attack is the load of one lane, under way or over.
type Attack struct {
	client *client
	cancel context.CancelFunc
	done   chan struct{}
}

// Start begins to load a lane, until Stop is called or ctx is done.
func Start(ctx context.Context, lane evidence.Lane, cfg Config) (*Attack, error) {
	if err := check(lane, cfg); err != nil {
		return nil, fmt.Errorf("loadgen: start lane %q: %w", lane.ID, err)
	}
	return start(ctx, newClient(lane, cfg), cfg.startsAt()), nil
}

// startsAt is the instant at which the pacer starts, on the monotonic clock, which one from afar is not.
func (cfg Config) startsAt() time.Time {
	now := time.Now()
	return now.Add(max(0, cfg.At.Sub(now)))
}

// start begins to load a client's lane, or to go on, with the plan that began at an instant.
func start(ctx context.Context, c *client, began time.Time) *Attack {
	ctx, cancel := context.WithCancel(ctx)
	c.began, c.buffer.broken = began, cancel
	a := &Attack{client: c, cancel: cancel, done: make(chan struct{})}
	go a.run(ctx)
	return a
}

// over is the attack of a lane that is loaded no more, whose hits remain.
func over(c *client) *Attack {
	a := &Attack{client: c, cancel: func() {}, done: make(chan struct{})}
	close(a.done)
	c.buffer.end()
	return a
}

// Stop ends the pacing, which takes up to an interval, and waits for the requests in flight. It may be called again.
// [Attack.HitsFrom] then has the last hits; their sequence numbers have no hole.
func (a *Attack) Stop() {
	a.cancel()
	<-a.done
}

// Progress says how far the attack got.
func (a *Attack) Progress() Progress { return a.client.buffer.soFar() }

func (a *Attack) run(ctx context.Context) {
	defer close(a.done)
	defer a.cancel()
	defer a.client.buffer.end()
	if !wait(ctx, a.client.began) {
		return
	}
	defer a.client.close()

	attacker := vegeta.NewAttacker(
		vegeta.MaxWorkers(workersFor(a.client.lane.Rate, a.client.timeout)),
		vegeta.Client(&http.Client{Transport: a.client}),
	)
	defer context.AfterFunc(ctx, func() { attacker.Stop() })()

	// The lane's protocol knows the target. Vegeta, which only paces, wants one of its own.
	nominal := vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: "http://lane/"})
	for range attacker.Attack(nominal, pacer{a.client.plan, a.client.began}, 0, "") {
	}
}

// workersFor bounds the requests in flight. When nothing answers there are rate x timeout of them; half as
// many again, and ten for slow lanes, keep the pacer from waiting for a worker that is only late to finish.
// A pacer that does wait shows as lag in the hits.
func workersFor(rate int, timeout time.Duration) uint64 {
	stalled := float64(rate) * timeout.Seconds()
	return uint64(1.5*stalled) + 10
}

// wait returns at the instant and tells whether ctx lasted until then.
func wait(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

func check(lane evidence.Lane, cfg Config) error {
	if err := checkUnpaced(lane, cfg); err != nil {
		return err
	}
	if lane.Rate <= 0 || lane.Rate > int(time.Second) {
		return fmt.Errorf("rate %d is out of range", lane.Rate)
	}
	return nil
}

// checkUnpaced checks all but how often the lane is to ask.
func checkUnpaced(lane evidence.Lane, cfg Config) error {
	protocol, known := protocols[lane.Protocol]
	if !known {
		return fmt.Errorf("unknown protocol %q", lane.Protocol)
	}
	if err := protocol.check(lane); err != nil {
		return err
	}
	switch {
	case lane.ID == "":
		return errors.New("a lane needs an id")
	case cfg.Service == "":
		return errors.New("no service to expect replies from")
	case cfg.Began.IsZero():
		return errors.New("no time at which the run began")
	case cfg.Timeout < 0:
		return fmt.Errorf("timeout %s is negative", cfg.Timeout)
	case cfg.UserHTTP != nil:
		return cfg.UserHTTP.Check()
	}
	return nil
}
