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

// A Config holds the settings that the lanes of a run share.
type Config struct {
	Began    time.Time     `json:"began"`               // when the run began; times in hits are offsets from it
	Service  string        `json:"service"`             // the Service whose replies are good
	Timeout  time.Duration `json:"timeout,omitempty"`   // from sending until the whole reply is read; zero: DefaultTimeout
	UserHTTP *UserHTTP     `json:"user_http,omitempty"` // how to ask a userapp; nil: the echo app, as control lanes in pods ask
	// LaneSuffix ends the lane's name in requests. A random one keeps requests of other clients from counting as the lane's.
	LaneSuffix string `json:"lane_suffix,omitempty"`
	// Unfetched is how long an [Agent] keeps up the load while nobody fetches its hits; zero: DefaultUnfetched, or WritesUnfetched.
	Unfetched time.Duration `json:"unasked,omitempty"`

	// Header has more headers of each request to the echo app.
	Header http.Header `json:"-"`

	Ports *LocalPorts `json:"-"` // local ports that all lanes of the process share; nil: the lane has its own
	// Note receives what lanes observe besides hits, such as certificates, and may be called concurrently; nil: dropped.
	Note func(evidence.Event) `json:"-"`
}

// withDefaults returns the settings with the defaults filled in.
func (cfg Config) withDefaults() Config {
	unfetched := DefaultUnfetched
	if cfg.UserHTTP != nil && cfg.UserHTTP.writes() {
		unfetched = WritesUnfetched
	}
	cfg.Timeout, cfg.Unfetched = cmp.Or(cfg.Timeout, DefaultTimeout), cmp.Or(cfg.Unfetched, unfetched)
	if cfg.Ports == nil {
		cfg.Ports = NewLocalPorts()
	}
	return cfg
}

// An Attack is the load of one lane, running or ended.
type Attack struct {
	client *client
	cancel context.CancelFunc
	done   chan struct{}
}

// Start starts the load of a lane, which runs until Stop is called or ctx is done.
func Start(ctx context.Context, lane evidence.Lane, cfg Config) (*Attack, error) {
	if err := check(lane, cfg); err != nil {
		return nil, fmt.Errorf("loadgen: start lane %q: %w", lane.ID, err)
	}
	c, err := newClient(lane, cfg, &buffer{})
	if err != nil {
		return nil, err
	}
	return start(ctx, c, time.Now()), nil
}

// start starts or continues the load of a client's lane, whose plan began at the given time.
func start(ctx context.Context, c *client, began time.Time) *Attack {
	ctx, cancel := context.WithCancel(ctx)
	c.began, c.buffer.broken = began, cancel
	a := &Attack{client: c, cancel: cancel, done: make(chan struct{})}
	go a.run(ctx)
	return a
}

// endedAttack returns an attack that has ended, whose hits can still be fetched.
func endedAttack(c *client) *Attack {
	a := &Attack{client: c, cancel: func() {}, done: make(chan struct{})}
	close(a.done)
	c.buffer.end()
	return a
}

// Stop ends the pacing, which takes up to one interval, and waits for the requests in flight. It may be called again.
// Then all hits have been added; their sequence numbers have no gap.
func (a *Attack) Stop() {
	a.cancel()
	<-a.done
}

func (a *Attack) run(ctx context.Context) {
	defer close(a.done)
	defer a.cancel()
	defer a.client.buffer.end()
	defer a.client.close()

	attacker := vegeta.NewAttacker(
		vegeta.MaxWorkers(workersFor(a.client.lane, a.client.timeout)),
		vegeta.Client(&http.Client{Transport: a.client}),
	)
	defer context.AfterFunc(ctx, func() { attacker.Stop() })()

	// The lane's protocol knows the target. Vegeta only paces here, but requires a target of its own.
	nominal := vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: "http://lane/"})
	for range attacker.Attack(nominal, pacer{a.client.plan, a.client.began}, 0, "") {
	}
}

// workersFor bounds the requests in flight. When nothing answers there are rate x timeout of them, and streams may
// all last for longest; half as many again, and ten for slow lanes, keep the pacer from waiting for a worker that is
// only late to finish. A pacer that does wait shows as lag in the hits.
func workersFor(lane evidence.Lane, timeout time.Duration) uint64 {
	stalled := float64(lane.Rate) * max(timeout, lane.Longest).Seconds()
	return uint64(1.5*stalled) + 10
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

// checkUnpaced checks everything but the rate.
func checkUnpaced(lane evidence.Lane, cfg Config) error {
	protocol, known := protocols[lane.Protocol]
	if !known {
		return fmt.Errorf("unknown protocol %q", lane.Protocol)
	}
	if err := protocol.check(lane, cfg); err != nil {
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
	}
	return nil
}
