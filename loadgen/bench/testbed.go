package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"rollcall/loadgen"
)

// A testbed is what loads the app, and where both run.
type testbed struct {
	dir    string // of the programs
	on     processors
	agent  generator
	vegeta generator
	fortio generator
	loads  int // so far
}

// newTestbed moves this process out of the generators' way.
func newTestbed(dir string) (*testbed, error) {
	p, err := share()
	if err != nil {
		return nil, err
	}
	if err := confine(p.rest); err != nil {
		return nil, err
	}
	return &testbed{
		dir:    dir,
		on:     p,
		agent:  agent{dir: dir, on: p},
		vegeta: vegeta{dir: dir, on: p},
		fortio: fortio{dir: dir, on: p},
	}, nil
}

// send sends a load to an app of its own, and says which share of its processors that used.
func (r *testbed) send(ctx context.Context, g generator, l load) (o outcome, share float64, err error) {
	r.loads++
	to, err := siteOf(r.loads)
	if err != nil {
		return outcome{}, 0, err
	}
	app, err := r.startApp(ctx, to)
	if err != nil {
		return outcome{}, 0, err
	}
	o, err = g.send(ctx, to, l)
	if killed := app.kill(); err == nil {
		err = killed
	}
	return o, app.used().Seconds() / l.length.Seconds() / float64(r.on.rest.Count()), err
}

// startApp starts an app at a site, and returns when it answers.
func (r *testbed) startApp(ctx context.Context, at site) (*process, error) {
	app, err := program{path: filepath.Join(r.dir, "echo"), env: []string{
		"ROLLCALL_LISTEN=" + at.app,
		"ROLLCALL_SERVICE=" + service,
		"ROLLCALL_VERSION=v1",
		"ROLLCALL_POD=echo-v1-bench",
		"ROLLCALL_NODE=worker",
	}}.start(ctx, r.on.rest)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if err := answers(ctx, func(ctx context.Context) error {
		_, err := loadgen.Ask(ctx, client, at.url())
		return err
	}); err != nil {
		return nil, fmt.Errorf("start app: %w", errors.Join(err, app.kill(), errors.New(app.words.String())))
	}
	return app, nil
}

// sendHeld sends a load that every generator ought to hold, again when one did not.
func (r *testbed) sendHeld(ctx context.Context, g generator, l load) (outcome, error) {
	const tries = 3
	var last outcome
	for range tries {
		o, _, err := r.send(ctx, g, l)
		if err != nil || o.held(l) {
			return o, err
		}
		last = o
	}
	return outcome{}, fmt.Errorf("machine too busy: %s did not hold %d/s over %s connections in %d tries of %s; "+
		"in the last one %.0f of %d requests were answered well in time",
		g.name(), l.rate, l.conn, tries, l.length, last.answered, last.requests)
}
