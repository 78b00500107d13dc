package harness

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// A RequestConfig is how requests that steps send themselves are sent and recorded.
type RequestConfig struct {
	Config loadgen.Config
	Begin  func(evidence.Lane) error // records a lane, before its first hit
	Note   func(evidence.Hit)        // records a hit
}

// Requests are a lane whose requests the steps send themselves, from outside the cluster. They are
// recorded, and expectations that name the lane are judged by them.
type Requests struct {
	steps  *Steps
	client *loadgen.StepClient
}

// Requests returns a lane from outside the cluster with a name in kebab-case, once the app is exposed.
// conn says whether each request opens a connection or all use one; timeout is that of each request.
func (s *Steps) Requests(name string, conn evidence.Conn, timeout time.Duration) *Requests {
	return s.RequestsWith(name, conn, timeout, nil)
}

// RequestsWith returns a lane as [Steps.Requests] does, whose requests have more headers.
func (s *Steps) RequestsWith(name string, conn evidence.Conn, timeout time.Duration, header http.Header) *Requests {
	lane := evidence.Lane{ID: name, Vantage: evidence.FromHost, Conn: conn, Target: s.Outside, Steps: true}
	cfg := s.by.Requests.Config
	cfg.Timeout, cfg.Header = timeout, header
	client := Must(loadgen.NewStepClient(lane, cfg))
	Check(s.by.Requests.Begin(lane))
	return &Requests{s, client}
}

// Send sends n requests, one after the other, and returns the last hit. The port outside was also that
// of the recording before, whose pods may still reply: such a reply is the fault wrong-server.
func (r *Requests) Send(ctx context.Context, n int) (last evidence.Hit) {
	for range n {
		hit, trouble := r.client.Request()
		if !hit.Failed() && !r.steps.by.Watch.Knows(hit.By.Pod) {
			hit.Fault = evidence.WrongServer
		}
		r.steps.by.Requests.Note(hit)
		Check(trouble)
		Check(context.Cause(ctx))
		last = hit
	}
	return last
}

// Open opens a new connection for the requests from then on, and returns the pod that replies to the
// first one.
func (r *Requests) Open(ctx context.Context) evidence.Server {
	r.client.HangUp()
	first := r.Send(ctx, 1)
	if first.Failed() {
		Check(fmt.Errorf("no connection to keep: %s", first.Fault))
	}
	return first.By
}
