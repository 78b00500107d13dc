package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"rollcall/harness/evidence"
)

// fortioConnections is how many requests fortio has in flight at most: it is a closed loop, which waits for a reply
// before it sends the connection's next request.
const fortioConnections = 16

// Fortio is a small command of ours around its library, with its own fast client.
type fortio struct {
	dir string
	on  processors
}

func (fortio) name() string { return "fortio" }

func (f fortio) send(ctx context.Context, to site, l load) (o outcome, err error) {
	var printed bytes.Buffer
	p, err := program{path: filepath.Join(f.dir, "fortio"), out: &printed, args: []string{
		"-url=" + to.url(),
		"-keepalive=" + strconv.FormatBool(l.conn == evidence.Reused),
		"-rate=" + strconv.Itoa(l.rate),
		"-duration=" + l.length.String(),
		"-connections=" + strconv.Itoa(fortioConnections),
		"-timeout=" + timeout.String(),
	}}.start(ctx, f.on.generator)
	if err != nil {
		return outcome{}, err
	}
	if err := p.wait(); err != nil {
		return outcome{}, fmt.Errorf("load with %w", err)
	}
	if o, err = settleCount(l, printed.Bytes()); err != nil {
		return outcome{}, err
	}
	o.cpu = p.used()
	return o, nil
}

// settleCount reads what the command prints. Replies are taken to have come evenly over the time it took.
func settleCount(l load, printed []byte) (outcome, error) {
	var count struct {
		Requests, Good int
		Took           time.Duration
	}
	if err := json.Unmarshal(printed, &count); err != nil {
		return outcome{}, fmt.Errorf("read fortio's count: %w", err)
	}
	o := outcome{requests: count.Requests, answered: float64(count.Good)}
	if count.Took > l.length {
		o.answered *= l.length.Seconds() / count.Took.Seconds()
	}
	return o, nil
}
