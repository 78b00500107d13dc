package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/host"
	"rollcall/loadgen"
)

// How long the trial sends, and how often.
const (
	trialTime = 2 * time.Second
	trialRate = 100
	trials    = 40          // of what is measured one by one
	freshTime = time.Second // of requests one after the other
)

// What a machine does that is not slow. Printed by runs: a connection takes 30 to 43 µs and a program 0.9 ms on the reference
// host, 294 to 296 µs and 2.3 to 2.5 ms in a lab on it.
const (
	slowConnect = 200 * time.Microsecond
	slowStart   = 2 * time.Millisecond
	slowLag     = 50 * time.Millisecond
)

// quickFresh is what a machine does at the normal pace, in requests a second. On one of 2 cores that does 3,800 to 5,100,
// with clients in their pods' groups (see [host.Ungroup]), 1 % of a client's requests were 0.08 to 0.55 s late in rolling
// updates at the normal pace, and 0.01 to 0.09 s at the light one; ungrouped 0.04 to 0.07 s and 0.01 to 0.02 s. The reference
// host, where they are in time, holds 2.5 times as many under load (make bench); what it does here was never printed.
const quickFresh = 7000

// parsePace checks the pace that was asked for; empty is to be found out.
func parsePace(asked string) (evidence.Pace, error) {
	p := evidence.Pace(asked)
	if !slices.Contains([]evidence.Pace{"", evidence.NormalPace, evidence.LightPace, evidence.SlowPace}, p) {
		return "", host.Refuse("pace "+asked, "there is none of this name", "use normal, light or slow, or leave it out: it is found")
	}
	return p, nil
}

// FindPace is the pace that was asked for, or the one that this machine can do by a short trial, the calibration. On a
// cluster that is somebody else's it is the normal one: what its nodes can do is not to be seen from here.
func (r *Rig) FindPace(ctx context.Context, out io.Writer) (evidence.Pace, *evidence.Calibration, error) {
	if r.pace == "" && r.attached != nil {
		r.pace = evidence.NormalPace
	}
	if r.pace != "" {
		return r.pace, r.calibration, nil
	}
	c, err := calibrate(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("calibrate: %w", err)
	}
	r.pace, r.calibration = paceOf(c), &c
	fmt.Fprintf(out, "pace %s: %d cores, a connection takes %v, a program %v to start, one client makes %.0f requests a second, %.0f of %d requests a second are sent, 99 %% of them no later than %v\n",
		r.pace, c.Cores, c.Connect.Round(time.Microsecond), c.Start.Round(10*time.Microsecond), c.Fresh, c.Rate, trialRate, c.Lag.Round(100*time.Microsecond))
	return r.pace, r.calibration, nil
}

// paceOf is slow for a machine that is so in any way. One core is not enough for three nodes and their clients.
func paceOf(c evidence.Calibration) evidence.Pace {
	switch {
	case c.Cores < 2 || c.Connect > slowConnect || c.Start > slowStart || c.Lag > slowLag || c.Rate < 0.95*trialRate:
		return evidence.SlowPace
	case c.Fresh < quickFresh:
		return evidence.LightPace
	}
	return evidence.NormalPace
}

func calibrate(ctx context.Context) (c evidence.Calibration, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return c, err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	c.Cores = runtime.NumCPU()
	if c.Connect, err = median(func() error {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err == nil {
			err = conn.Close()
		}
		return err
	}); err != nil {
		return c, err
	}
	if c.Start, err = median(func() error { return exec.CommandContext(ctx, "true").Run() }); err != nil {
		return c, err
	}
	if c.Fresh, err = freshRequests(ctx, "http://"+listener.Addr().String()+"/"); err != nil {
		return c, err
	}
	began := time.Now()
	lane := evidence.Lane{ID: "calibration", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: "http://" + listener.Addr().String() + "/", Rate: trialRate}
	attack, err := loadgen.Start(ctx, lane, loadgen.Config{Began: began, Service: "calibration", Dialect: &loadgen.Dialect{}})
	if err != nil {
		return c, err
	}
	select {
	case <-time.After(trialTime):
	case <-ctx.Done():
	}
	attack.Stop()
	frame, err := attack.Since(0)
	if err != nil || len(frame.Records) == 0 {
		return c, fmt.Errorf("%d requests were sent: %w", len(frame.Records), err)
	}
	var lags []time.Duration
	for _, h := range frame.Records {
		lags = append(lags, h.Sent-h.Due)
	}
	slices.Sort(lags)
	c.Lag = lags[len(lags)*99/100]
	c.Rate = float64(len(lags)) / trialTime.Seconds()
	return c, context.Cause(ctx)
}

// freshRequests is how many requests a second a client makes that waits for every reply, each over a new connection.
func freshRequests(ctx context.Context, url string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, freshTime)
	defer cancel()
	client := loadgen.FreshClient(freshTime)
	made := 0
	for began := time.Now(); ; made++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		reply, err := client.Do(request)
		if err == nil {
			_, err = io.Copy(io.Discard, reply.Body)
			err = errors.Join(err, reply.Body.Close())
		}
		switch {
		case ctx.Err() != nil:
			return float64(made) / time.Since(began).Seconds(), nil
		case err != nil:
			return 0, err
		}
	}
}

// median is how long something takes half of the time.
func median(do func() error) (time.Duration, error) {
	var took []time.Duration
	for range trials {
		began := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
