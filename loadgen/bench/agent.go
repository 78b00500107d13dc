package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/poll"
	"rollcall/loadgen"
)

// fetchEvery is how often the harness asks an agent for its hits.
const fetchEvery = 500 * time.Millisecond

// lead is how far ahead an agent is told when to start.
const lead = 100 * time.Millisecond

// answerTimeout is how long an answer of an agent may take. One that is asked for more than it can send has thousands
// of requests under way, and its API waits among them.
const answerTimeout = time.Second

// errOverloaded says that an agent was asked for more than it can send.
var errOverloaded = errors.New("overloaded")

// laneID names the load in every request, whoever sends it.
const laneID = "worker-bench"

// service names the app in its replies.
const service = "echo"

// An agent is Rollcall's own generator.
type agent struct {
	dir string
	on  processors
}

func (agent) name() string { return "agent" }

func (a agent) send(ctx context.Context, to site, l load) (o outcome, err error) {
	const token = "bench"
	addr, err := to.freeAddr()
	if err != nil {
		return outcome{}, err
	}
	p, err := program{
		path: filepath.Join(a.dir, "agent"),
		args: []string{"-listen=" + addr},
		env:  []string{"ROLLCALL_TOKEN=" + token},
	}.start(ctx, a.on.generator)
	if err != nil {
		return outcome{}, err
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	remote := loadgen.Remote{URL: "http://" + addr, Token: token, Client: &http.Client{Transport: transport}}
	hits, err := record(ctx, remote, to.url(), l)
	if errors.Is(err, errOverloaded) {
		return outcome{}, p.kill()
	}
	var peak int64
	if err == nil {
		peak, err = p.peak()
	}
	if ended := p.end(); err == nil {
		err = ended
	}
	if err != nil {
		return outcome{}, fmt.Errorf("load with agent: %w", err)
	}
	o = settleHits(l, hits)
	o.cpu, o.peak = p.used(), peak
	return o, nil
}

// record has an agent send a load, and fetches its hits meanwhile.
func record(ctx context.Context, remote loadgen.Remote, url string, l load) ([]evidence.Hit, error) {
	if err := answers(ctx, func(ctx context.Context) error { _, err := remote.Identity(ctx); return err }); err != nil {
		return nil, err
	}
	lane := evidence.Lane{ID: laneID, Vantage: evidence.FromPod, Conn: l.conn, Target: url, Rate: l.rate}
	began := time.Now()
	cfg := loadgen.Config{Began: began, At: began.Add(lead), Service: service, Timeout: timeout}
	if err := remote.Start(ctx, []evidence.Lane{lane}, cfg); err != nil {
		return nil, err
	}
	end := cfg.At.Add(l.length)
	var hits []evidence.Hit
	over := false
	fetch := func(ctx context.Context) error {
		for full := true; full; {
			frame, err := remote.HitsFrom(ctx, laneID, len(hits))
			if err != nil {
				return err
			}
			hits, over = append(hits, frame.Records...), frame.End
			full = len(frame.Records) == loadgen.HitsPerFrame && !over
		}
		return nil
	}
	for time.Now().Before(end) {
		select {
		case <-time.After(min(fetchEvery, time.Until(end))):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if err := soon(ctx, fetch); err != nil {
			return nil, err
		}
	}
	if err := soon(ctx, remote.Stop); err != nil {
		return nil, err
	}
	for !over {
		if err := soon(ctx, fetch); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// soon asks an agent for what it answers at once, unless it is overloaded.
func soon(ctx context.Context, ask func(ctx context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	err := ask(within)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errOverloaded
	}
	return err
}

// answers waits until a process that was just started does.
func answers(ctx context.Context, ask func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, grace, fmt.Errorf("no answer in %s", grace))
	defer cancel()
	return poll.Until(ctx, 5*time.Millisecond, func() (bool, error) { return ask(ctx) == nil, nil })
}

// settleHits counts hits by the agent's own plan.
func settleHits(l load, hits []evidence.Hit) outcome {
	if len(hits) == 0 {
		return outcome{}
	}
	requests := make([]request, 0, len(hits))
	for _, h := range hits {
		requests = append(requests, request{seq: int(h.Seq), sent: h.Sent, ended: h.End(), good: !h.Failed()})
	}
	return settle(l, hits[0].Due-time.Duration(hits[0].Seq)*l.interval(), requests)
}
