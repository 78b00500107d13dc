package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	lib "github.com/tsenart/vegeta/v12/lib"

	"rollcall/harness/evidence"
)

// Vegeta is its own command, as released.
type vegeta struct {
	dir string
	on  processors
}

func (vegeta) name() string { return "vegeta" }

func (v vegeta) send(ctx context.Context, to site, l load) (o outcome, err error) {
	results := filepath.Join(v.dir, "results")
	targets, err := v.targets(to.url(), l.conn)
	if err != nil {
		return outcome{}, err
	}
	p, err := program{path: filepath.Join(v.dir, "vegeta"), args: []string{"attack",
		"-name=" + laneID,
		"-targets=" + targets,
		"-laddr=" + to.host,
		"-keepalive=" + strconv.FormatBool(l.conn == evidence.Reused),
		"-rate=" + strconv.Itoa(l.rate),
		"-duration=" + l.length.String(),
		"-max-workers=" + strconv.Itoa(l.workers()),
		"-timeout=" + timeout.String(),
		"-output=" + results,
	}}.start(ctx, v.on.generator)
	if err != nil {
		return outcome{}, err
	}
	if err := p.wait(); err != nil {
		return outcome{}, fmt.Errorf("load with %w", err)
	}
	file, err := os.Open(results)
	if err != nil {
		return outcome{}, err
	}
	defer file.Close()
	requests, err := readResults(file)
	if err != nil {
		return outcome{}, fmt.Errorf("read results of vegeta: %w", err)
	}
	o = settle(l, planOf(l, requests), requests)
	o.cpu = p.used()
	return o, nil
}

// targets writes the file that says what to send: what a lane of the agent sends.
func (v vegeta) targets(url string, conn evidence.Conn) (path string, err error) {
	path = filepath.Join(v.dir, "targets-"+string(conn))
	target := "GET " + url + "\n"
	if conn == evidence.Reused {
		body := filepath.Join(v.dir, "body")
		if err := os.WriteFile(body, []byte("rollcall"), 0o644); err != nil {
			return "", err
		}
		target = "POST " + url + "\n@" + body + "\n"
	}
	return path, os.WriteFile(path, []byte(target), 0o644)
}

// readResults reads what vegeta recorded: one request at the least.
func readResults(r io.Reader) (requests []request, err error) {
	decode := lib.NewDecoder(r)
	var began time.Time
	for {
		var result lib.Result
		switch err := decode(&result); {
		case errors.Is(err, io.EOF) && len(requests) > 0:
			return requests, nil
		case err != nil:
			return requests, err
		}
		if began.IsZero() {
			began = result.Timestamp
		}
		sent := result.Timestamp.Sub(began)
		requests = append(requests, request{seq: int(result.Seq), sent: sent, ended: sent + result.Latency, good: result.Error == ""})
	}
}
