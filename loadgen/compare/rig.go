package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"rollcall/loadgen"
)

// A rig is the app, which runs, and what loads it.
type rig struct {
	app    *process
	appOn  int // processors
	url    string
	agent  generator
	vegeta generator
	fortio generator
}

// startRig starts the app from the programs in dir, and moves this process out of the generators' way.
func startRig(ctx context.Context, dir string) (*rig, error) {
	p, err := share()
	if err != nil {
		return nil, err
	}
	if err := confine(p.rest); err != nil {
		return nil, err
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	app, err := program{path: filepath.Join(dir, "echo"), env: []string{
		"ROLLCALL_LISTEN=" + addr,
		"ROLLCALL_SERVICE=" + service,
		"ROLLCALL_VERSION=v1",
		"ROLLCALL_POD=echo-v1-compare",
		"ROLLCALL_NODE=worker",
	}}.start(ctx, p.rest)
	if err != nil {
		return nil, err
	}
	r := &rig{
		app:    app,
		appOn:  p.rest.Count(),
		url:    "http://" + addr + "/",
		agent:  agent{dir: dir, on: p},
		vegeta: vegeta{dir: dir, on: p},
		fortio: fortio{dir: dir, on: p},
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if err := answers(ctx, func(ctx context.Context) error { return loadgen.Reach(ctx, client, r.url) }); err != nil {
		r.end()
		return nil, fmt.Errorf("start app: %w: %s", err, app.words.String())
	}
	return r, nil
}

// end ends the app. What becomes of it does not matter any more.
func (r *rig) end() { _ = r.app.end() }

// send sends a load, and says which share of its processors the app used meanwhile.
func (r *rig) send(ctx context.Context, g generator, l load) (o outcome, share float64, err error) {
	before, err := r.app.usedSoFar()
	if err != nil {
		return outcome{}, 0, err
	}
	if o, err = g.send(ctx, r.url, l); err != nil {
		return outcome{}, 0, err
	}
	after, err := r.app.usedSoFar()
	return o, (after - before).Seconds() / l.length.Seconds() / float64(r.appOn), err
}

// sendHeld sends a load that every generator ought to hold, again when one did not.
func (r *rig) sendHeld(ctx context.Context, g generator, l load) (outcome, error) {
	const tries = 3
	for range tries {
		o, _, err := r.send(ctx, g, l)
		if err != nil || o.held(l) {
			return o, err
		}
	}
	return outcome{}, fmt.Errorf("machine too busy: %s did not hold %d/s over %s connections in %d tries of %s", g.name(), l.rate, l.conn, tries, l.length)
}

// freeAddr is an address that nothing listens on now.
func freeAddr() (string, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
