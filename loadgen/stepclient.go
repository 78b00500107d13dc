package loadgen

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
)

// A StepClient sends the requests of a lane one at a time, when its caller says so. It is not safe for concurrent use.
type StepClient struct {
	client *client
	next   uint64 // number of the next request
}

// NewStepClient returns a StepClient for a lane, which needs no rate.
func NewStepClient(lane evidence.Lane, cfg Config) (*StepClient, error) {
	if err := checkUnpaced(lane, cfg); err != nil {
		return nil, fmt.Errorf("loadgen: request for lane %q: %w", lane.ID, err)
	}
	cfg = cfg.withDefaults()
	opened, err := protocols[lane.Protocol].open(lane, cfg, nil)
	if err != nil {
		return nil, fmt.Errorf("loadgen: open lane %q: %w", lane.ID, err)
	}
	return &StepClient{client: &client{exchanger: opened, lane: lane, timeout: cfg.Timeout, clock: newClock(cfg.Began)}}, nil
}

// Request sends the next request and returns its hit; the error is the cause of a failure of no known kind. On a lane that keeps
// connections alive all requests use the same one until it ends.
func (c *StepClient) Request() (evidence.Hit, error) {
	hit, trouble := c.client.ask(0, c.next)
	c.next++
	return hit, trouble
}

// HangUp closes the kept connection: the next request opens a new one.
func (c *StepClient) HangUp() { c.client.close() }
