package loadgen

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

const token = "open-sesame"

func serveAgent(t *testing.T) Remote {
	t.Helper()
	agent, err := NewAgent(AgentConfig{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(agent.Stop)
	server := httptest.NewServer(agent)
	t.Cleanup(server.Close)
	return Remote{URL: server.URL, Token: token, Client: server.Client()}
}

// TestRemoteRun runs an agent through its life: two lanes, hits while they are recorded, two stops, and the remaining
// hits.
func TestRemoteRun(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	agent := serveAgent(t)
	var once sync.Once
	loaded := make(chan struct{})
	came := map[string]*atomic.Int32{"worker-fresh": {}, "worker-reused": {}}
	app := serveApp(t, func(_ http.ResponseWriter, r *http.Request) {
		came[r.Header.Get(laneHeader)].Add(1)
		if r.Header.Get(seqHeader) == "20" {
			once.Do(func() { close(loaded) })
		}
	})
	lanes := []evidence.Lane{lane(evidence.Fresh, app.URL, 100), lane(evidence.Reused, app.URL, 100)}
	const earlier = time.Hour
	cfg := Config{Began: time.Now().Add(-earlier), Service: "shop", Timeout: patient}
	if err := agent.Start(ctx, lanes, cfg); err != nil {
		t.Fatal(err)
	}
	wantError(t, agent.Start(ctx, lanes, cfg), "409 Conflict: already started")
	arrive(t, "load", loaded)

	fetched := map[string]Range{}
	for _, lane := range lanes {
		for len(fetched[lane.ID].Hits) == 0 {
			r, err := agent.HitsFrom(ctx, lane.ID, 0)
			if err != nil || r.End {
				t.Fatalf("lane %s under way: end %v, %v", lane.ID, r.End, err)
			}
			fetched[lane.ID] = r
		}
	}
	for range 2 {
		if err := agent.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, lane := range lanes {
		rest, _ := drain(t, agent, lane.ID, fetched[lane.ID].Next)
		got := append(fetched[lane.ID].Hits, rest...)
		slices.SortFunc(got, func(a, b evidence.Hit) int { return cmp.Compare(a.Seq, b.Seq) })
		for i, h := range got {
			if h.Lane != lane.ID || h.Seq != uint64(i) || h.Failed() || h.Due < earlier || h.Due > earlier+patient {
				t.Fatalf("hit %+v, want number %d of its lane, good, due about an hour after the run began", h, i)
			}
		}
		if sent := came[lane.ID].Load(); len(got) != int(sent) {
			t.Errorf("lane %s: %d hits of %d requests", lane.ID, len(got), sent)
		}
	}
	wantError(t, agent.Start(ctx, lanes, cfg), "409 Conflict: already started")
}

// TestAgentStopAwaits stops an agent while a request is in flight.
func TestAgentStopAwaits(t *testing.T) {
	agent := serveAgent(t)
	var once sync.Once
	inFlight, release := make(chan struct{}), make(chan struct{})
	app := serveApp(t, func(http.ResponseWriter, *http.Request) {
		once.Do(func() { close(inFlight) })
		<-release
	})
	cfg := Config{Began: time.Now(), Service: "shop", Timeout: patient}
	if err := agent.Start(t.Context(), []evidence.Lane{lane(evidence.Fresh, app.URL, 100)}, cfg); err != nil {
		t.Fatal(err)
	}
	arrive(t, "request", inFlight)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	wantError(t, agent.Stop(ctx), context.DeadlineExceeded.Error())
	if r, err := agent.HitsFrom(t.Context(), "worker-fresh", 0); err != nil || r.End || len(r.Hits) > 0 {
		t.Errorf("%d hits, end %v, %v with every request in flight", len(r.Hits), r.End, err)
	}
	close(release)
	if err := agent.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := agent.HitsFrom(t.Context(), "worker-fresh", 0)
	if err != nil || !r.End || len(r.Hits) == 0 || r.Hits[0].Failed() {
		t.Errorf("%d hits, end %v, %v", len(r.Hits), r.End, err)
	}
}

func TestTokenGuards(t *testing.T) {
	if _, err := NewAgent(AgentConfig{Token: ""}); err == nil {
		t.Error("an agent without a token")
	}
	agent := serveAgent(t)
	for _, token := range []string{"", "open", "open-sesame-street", "Open-Sesame"} {
		agent.Token = token
		_, status := agent.Status(t.Context())
		_, hits := agent.HitsFrom(t.Context(), "worker-fresh", 0)
		start := agent.Start(t.Context(), nil, Config{})
		for _, err := range []error{status, hits, start, agent.Stop(t.Context())} {
			wantError(t, err, "401 Unauthorized")
		}
	}
	resp, err := agent.Client.Get(agent.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("/healthz without a token: %s", resp.Status)
	}
}

func TestAgentRefusesStartRequests(t *testing.T) {
	good := `"began":"2026-01-02T03:04:05.000000006Z","service":"shop","lanes":[{"id":"a","conn":"fresh","target":"http://127.0.0.1:1/","rate":1}`
	tests := []struct {
		sentence, order, want string
	}{
		{"no JSON", `hello`, "invalid character"},
		{"a word it does not know", `{"rate":5,` + good + `]}`, "unknown field"},
		{"no lanes", `{"began":"2026-01-02T03:04:05Z","service":"shop"}`, "no lanes"},
		{"two lanes of one name", `{` + good + `,{"id":"a","conn":"fresh","target":"http://127.0.0.1:1/","rate":1}]}`, "two lanes"},
		{"one lane of two that is wrong", `{` + good + `,{"id":"b"}]}`, "not an http or https URL"},
		{"no time at which the run began", `{` + good[strings.Index(good, `"service"`):] + `]}`, "no time at which"},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			agent := serveAgent(t)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, agent.URL+"/v4/start", strings.NewReader(tt.order))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := agent.Client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			why, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(why), tt.want) {
				t.Errorf("got %s: %s; want 400 and %q", resp.Status, why, tt.want)
			}
			if status, err := agent.Status(t.Context()); err != nil || status.Order != "" {
				t.Errorf("it was started: %+v, %v", status, err)
			}
		})
	}
}

func TestAgentOfAnotherBuild(t *testing.T) {
	agent := serveAgent(t)
	agent.URL += "/v1" // where it has nothing
	if _, err := agent.Status(t.Context()); !errors.Is(err, ErrOtherBuild) {
		t.Errorf("error %v, want %v", err, ErrOtherBuild)
	}
}

// TestRestartIsNoticed replaces an agent by a second one at the same address, in the middle of its run.
func TestRestartIsNoticed(t *testing.T) {
	app := serveApp(t, nil)
	first, err := NewAgent(AgentConfig{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	second, err := NewAgent(AgentConfig{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Stop)
	now := first
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	agent := Remote{URL: server.URL + "/", Token: token, Client: server.Client()}

	lanes := []evidence.Lane{lane(evidence.Fresh, app.URL, 100)}
	if err := agent.Start(t.Context(), lanes, Config{Began: time.Now(), Service: "shop"}); err != nil {
		t.Fatal(err)
	}
	before, after := time.Now().UnixNano(), int64(0)
	one, err := agent.Status(t.Context())
	if after = time.Now().UnixNano(); err != nil || one.Now < before || one.Now > after {
		t.Errorf("clock shows %d between %d and %d, %v", one.Now, before, after, err)
	}
	same, err := agent.Status(t.Context())
	if err != nil || same.Instance != one.Instance || one.Instance == "" {
		t.Errorf("instance %q, then %q, %v", one.Instance, same.Instance, err)
	}
	now = second
	other, err := agent.Status(t.Context())
	if err != nil || other.Instance == one.Instance {
		t.Errorf("instance %q before and after the restart, %v", one.Instance, err)
	}
	wantError(t, agent.Stop(t.Context()), "409 Conflict: not started")
	_, err = agent.HitsFrom(t.Context(), "worker-fresh", 0)
	wantError(t, err, "409 Conflict: not started")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}
