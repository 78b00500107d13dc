package harness

import (
	"context"
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// Asks is how requests that steps send themselves are sent and recorded.
type Asks struct {
	Config loadgen.Config
	Begin  func(evidence.Lane) error // records a lane, before its first hit
	Note   func(evidence.Hit)        // records a hit
}

// A Question is a lane whose requests the steps send themselves, from outside the cluster. They are recorded, and expectations that
// name the lane are judged by them.
type Question struct {
	steps *Steps
	asker *loadgen.Asker
}

// Question returns a lane from outside the cluster with a name in kebab-case, once the app is exposed. conn says whether each request
// opens a connection or all use one; timeout is that of each request.
func (s *Steps) Question(name string, conn evidence.Conn, timeout time.Duration) *Question {
	lane := evidence.Lane{ID: name, Vantage: evidence.FromHost, Conn: conn, Target: s.Outside, Steps: true}
	cfg := s.by.Asks.Config
	cfg.Timeout = timeout
	asker := Must(loadgen.NewAsker(lane, cfg))
	Check(s.by.Asks.Begin(lane))
	return &Question{s, asker}
}

// Ask sends n requests, one after the other, and returns the last hit. The port outside was also that of the recording before, whose pods
// may still reply: such a reply is the fault wrong-server.
func (q *Question) Ask(ctx context.Context, n int) (last evidence.Hit) {
	for range n {
		hit, trouble := q.asker.Ask()
		if !hit.Failed() && !q.steps.by.Watch.Knows(hit.By.Pod) {
			hit.Fault = evidence.WrongServer
		}
		q.steps.by.Asks.Note(hit)
		Check(trouble)
		Check(context.Cause(ctx))
		last = hit
	}
	return last
}

// Open opens a new connection for the requests from then on, and returns the pod that answers the first one.
func (q *Question) Open(ctx context.Context) evidence.Server {
	q.asker.HangUp()
	first := q.Ask(ctx, 1)
	if first.Failed() {
		Check(fmt.Errorf("no connection to keep: %s", first.Fault))
	}
	return first.By
}
