package loadgen

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A client sends the requests of one lane when vegeta calls for one, and adds a hit for each to the buffer.
type client struct {
	exchanger
	lane    evidence.Lane
	plan    plan
	timeout time.Duration
	clock   clock
	began   time.Time // when the load began
	buffer  *buffer
}

// newClient returns the client of a lane that was checked, whose log a buffer has.
func newClient(lane evidence.Lane, cfg Config, log *buffer) (*client, error) {
	cfg = cfg.withDefaults()
	c := &client{lane: lane, plan: planOf(lane), timeout: cfg.Timeout, clock: newClock(cfg.Began), buffer: log}
	noted := &connections{lane: lane.ID, clock: c.clock, note: log.addConnection, event: log.addEvent, last: log.numbered()}
	var err error
	if c.exchanger, err = protocols[lane.Protocol].open(lane, cfg, noted); err != nil {
		return nil, fmt.Errorf("loadgen: open lane %q: %w", lane.ID, err)
	}
	return c, nil
}

// RoundTrip sends a request of the lane when vegeta has one sent, of whose request only the number is used.
func (c *client) RoundTrip(req *http.Request) (*http.Response, error) {
	turn, err := strconv.ParseUint(req.Header.Get(seqHeader), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("loadgen: read %s: %w", seqHeader, err)
	}
	c.send(turn)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// send sends the request of a turn in the plan, and returns when it is over.
func (c *client) send(turn uint64) {
	seq := c.plan.number(turn)
	c.buffer.begin(seq)
	hit, trouble := c.ask(turn, seq) // after begin, which may wait for a busy disk
	hit.Due = c.clock.at(c.began) + c.plan.due(turn)
	c.buffer.add(hit, trouble)
}

// ask sends a request that is due now and returns its hit; trouble is its error if that is of no known kind.
func (c *client) ask(turn, seq uint64) (hit evidence.Hit, trouble error) {
	sent := time.Now()
	hit = evidence.Hit{Lane: c.lane.ID, Seq: seq, Due: c.clock.at(sent), Sent: c.clock.at(sent)}
	failures := c.exchange(request{turn: turn, seq: seq, sent: sent, deadline: sent.Add(c.timeout)}, &hit)
	hit.Took = c.clock.at(time.Now()) - hit.Sent // which may be later than now: see [shared.reserve]
	if len(failures) > 0 {
		var known bool
		if hit.Fault, known = faultFrom(c.lane.Vantage, failures...); !known {
			trouble = failures[0]
		}
	}
	return hit, trouble
}
