package loadgen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"example.com/rollcall/harness/evidence"
)

// A Remote is the harness's client of an agent. Every error names its URL.
type Remote struct {
	URL    string // base, such as "http://127.0.0.1:40001"
	Token  string
	Client *http.Client // nil: http.DefaultClient
}

// Start makes the agent load lanes, which it does once in its life. Times in cfg arrive without their monotonic reading; Ports and
// Note do not arrive.
func (r Remote) Start(ctx context.Context, lanes []evidence.Lane, cfg Config) error {
	return r.call(ctx, "start", http.MethodPost, startRequest{cfg, lanes}, discard)
}

// Stop ends the pacing and returns when no request is in flight; [Remote.HitsOfLanes] then has the last hits. It may
// be repeated. It is an error if the agent was not started, or restarted without a spool.
func (r Remote) Stop(ctx context.Context) error {
	return r.call(ctx, "stop", http.MethodPost, nil, discard)
}

// ErrOtherBuild is the error of an agent whose API is another one: a container of images that were pushed or loaded earlier.
var ErrOtherBuild = errors.New("its image is of another build of Rollcall: push the images of this one")

// call sends in as JSON, unless it is nil, and passes the body of a 200 to read.
func (r Remote) call(ctx context.Context, name, method string, in any, read func(body io.Reader) error) error {
	if err := r.try(ctx, name, method, in, read); err != nil {
		return fmt.Errorf("loadgen: request agent %s for %s: %w", r.URL, name, err)
	}
	return nil
}

func (r Remote) try(ctx context.Context, name, method string, in any, read func(body io.Reader) error) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(r.URL, "/")+"/v4/"+name, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	client := r.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		var request *url.Error // says the URL again
		if errors.As(err, &request) {
			err = request.Err
		}
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
		if resp.StatusCode == http.StatusNotFound && bytes.HasPrefix(why, []byte("404 page not found")) { // by the mux, not by a handler
			return ErrOtherBuild
		}
		return fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(why)))
	}
	return read(resp.Body)
}

func discard(io.Reader) error { return nil }

func decodeInto(v any) func(io.Reader) error {
	return func(body io.Reader) error { return json.NewDecoder(body).Decode(v) }
}
