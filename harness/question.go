package harness

import (
	"context"
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// Asks is how questions of steps are sent and recorded.
type Asks struct {
	Config loadgen.Config
	Begin  func(evidence.Lane) error // notes a lane, before its first hit
	Note   func(evidence.Hit)
}

// A Question is what steps ask the app from outside, under a name. It is a lane: its requests are recorded, and expectations that name
// it are judged by them.
type Question struct {
	steps *Steps
	asker *loadgen.Asker
}

// Question has the app be asked from outside, once exposed, under a name in kebab-case: over a new connection for each request or over
// one that is kept, each within a time.
func (s *Steps) Question(name string, conn evidence.Conn, timeout time.Duration) *Question {
	lane := evidence.Lane{ID: name, Vantage: evidence.FromHost, Conn: conn, Target: s.Outside, Steps: true}
	cfg := s.by.Asks.Config
	cfg.Timeout = timeout
	asker := Must(loadgen.NewAsker(lane, cfg))
	Check(s.by.Asks.Begin(lane))
	return &Question{s, asker}
}

// Ask asks so often, one request after the other, and is what became of the last one. The port outside is that of the recording before,
// whose pods may still answer: such a reply is a wrong server's.
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

// Open is the pod that answers the first request over the connection that is kept from then on.
func (q *Question) Open(ctx context.Context) evidence.Server {
	q.asker.HangUp()
	first := q.Ask(ctx, 1)
	if first.Failed() {
		Check(fmt.Errorf("no connection to keep: %s", first.Fault))
	}
	return first.By
}
