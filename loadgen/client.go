package loadgen

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A client sends the requests of one lane when vegeta says that it is time for one, and keeps what it saw in the buffer.
type client struct {
	exchanger
	lane    evidence.Lane
	plan    plan
	timeout time.Duration
	clock   clock
	began   time.Time // when the load did
	buffer  *buffer
}

// newClient makes the client of a lane that was checked.
func newClient(lane evidence.Lane, cfg Config) *client {
	cfg = cfg.whole()
	return &client{exchanger: protocols[lane.Protocol].open(lane, cfg), lane: lane, plan: planOf(lane), timeout: cfg.Timeout,
		clock: newClock(cfg.Began), buffer: newBuffer()}
}

// RoundTrip takes a request of vegeta's, of which only the place in the plan is used.
func (c *client) RoundTrip(req *http.Request) (*http.Response, error) {
	turn, err := strconv.ParseUint(req.Header.Get(seqHeader), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("loadgen: read %s: %w", seqHeader, err)
	}
	c.send(turn)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// send sends the request of a place in the plan, and returns when it is over.
func (c *client) send(turn uint64) {
	seq := c.plan.number(turn)
	c.buffer.begin(seq)
	hit, trouble := c.ask(turn, seq) // after what is noted of it, which may take a while on a busy disk
	hit.Due = c.clock.at(c.began) + c.plan.due(turn)
	c.buffer.add(hit, trouble)
}

// ask sends a request, due now, and says what became of it, and what the fault was where it is of no known kind.
func (c *client) ask(turn, seq uint64) (hit evidence.Hit, trouble error) {
	sent := time.Now()
	hit = evidence.Hit{Lane: c.lane.ID, Seq: seq, Due: c.clock.at(sent), Sent: c.clock.at(sent)}
	failures := c.exchange(request{turn: turn, seq: seq, sent: sent, deadline: sent.Add(c.timeout)}, &hit)
	hit.Took = time.Since(sent)
	if len(failures) > 0 {
		var known bool
		if hit.Fault, known = faultFrom(c.lane.Vantage, failures...); !known {
			trouble = failures[0]
		}
	}
	return hit, trouble
}
