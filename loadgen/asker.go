package loadgen

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
)

// An Asker sends the requests of a lane one after the other, whenever it is told to. It is for one goroutine.
type Asker struct {
	client *client
	next   uint64 // number of the next request
}

// NewAsker makes the asker of a lane, which needs no rate.
func NewAsker(lane evidence.Lane, cfg Config) (*Asker, error) {
	if err := checkUnpaced(lane, cfg); err != nil {
		return nil, fmt.Errorf("loadgen: ask for lane %q: %w", lane.ID, err)
	}
	cfg = cfg.whole()
	return &Asker{client: &client{exchanger: protocols[lane.Protocol].open(lane, cfg), lane: lane, timeout: cfg.Timeout,
		clock: newClock(cfg.Began)}}, nil
}

// Ask sends the next request and says what became of it; the error is a fault of no known kind. Over a lane that keeps connections all
// requests go over one, until it ends.
func (a *Asker) Ask() (evidence.Hit, error) {
	hit, trouble := a.client.ask(0, a.next)
	a.next++
	return hit, trouble
}

// HangUp gives up the connection that is kept: the next request opens another.
func (a *Asker) HangUp() { a.client.close() }
