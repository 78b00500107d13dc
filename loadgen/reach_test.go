package loadgen

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/rollcall/harness/evidence"
)

func TestReachThroughAnAgent(t *testing.T) {
	status := http.StatusServiceUnavailable
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer app.Close()
	agent, err := NewAgent(AgentConfig{Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(agent)
	defer api.Close()
	remote := Remote{URL: api.URL, Token: "secret", Client: api.Client()}

	if err := remote.Reach(t.Context(), evidence.Lane{Target: app.URL}, nil); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("error %v of an app that answers 503", err)
	}
	status = http.StatusOK
	if err := remote.Reach(t.Context(), evidence.Lane{Target: app.URL}, nil); err != nil {
		t.Errorf("an app that answers is not reached: %v", err)
	}
	if err := remote.Reach(t.Context(), evidence.Lane{Target: "http://" + refusing(t)}, nil); err == nil {
		t.Error("an app that is not there is reached")
	}
	stranger := Remote{URL: api.URL, Token: "wrong", Client: api.Client()}
	if err := stranger.Reach(t.Context(), evidence.Lane{Target: app.URL}, nil); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("error %v without the token, want 401", err)
	}
}

// An app that opens connections may take long for its first reply: that is not a reason to give up.
func TestFirstReplyThatTakesLong(t *testing.T) {
	var asked atomic.Int32
	again := make(chan bool)
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if asked.Add(1) == 1 {
			<-again // until the client has given up, and asks once more
			return
		}
		close(again)
	}))
	defer app.Close()
	p := &UserHTTP{Method: http.MethodGet, Status: []int{http.StatusOK}}
	at := func(target string) evidence.Lane { return evidence.Lane{Conn: evidence.Fresh, Target: target} }
	if _, err := p.requestTwice(at(app.URL), 200*time.Millisecond); err != nil || asked.Load() != 2 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
	refused := asked.Load()
	if _, err := p.requestTwice(at("http://"+refusing(t)), 200*time.Millisecond); err == nil || asked.Load() != refused {
		t.Errorf("a port that refuses is asked twice: %v", err)
	}
}

// What is no stream, or none that clients could await, is found out before any load.
func TestWhyThereIsNoStream(t *testing.T) {
	const streams, token = eventStream, "data: a\n\n"
	for _, row := range []struct {
		sentence     string
		is, text     string // type and body of the reply
		status       int
		goesOn, cuts bool // what follows the body: tokens without end, or the end of the connection
		asks         UserHTTP
		want         *NoReplyError
	}{
		{"a whole stream", streams, token + "data: [DONE]\n\n", 200, false, false, UserHTTP{}, nil},
		{"a page", "text/html", "<p>", 200, false, false, UserHTTP{}, &NoReplyError{Fault: evidence.WrongServer, Opened: true,
			Unspoken: "its reply is text/html, and no stream of events (text/event-stream)"}},
		{"a status", streams, token, 404, false, false, UserHTTP{}, &NoReplyError{Status: 404}},
		{"a stream that ends without its mark", streams, token, 200, false, false, UserHTTP{},
			&NoReplyError{Fault: evidence.Truncated, Opened: true, Tokens: 1}},
		{"one that is cut", streams, token, 200, false, true, UserHTTP{}, &NoReplyError{Fault: evidence.Closed, Opened: true, Tokens: 1}},
		{"one without an end", streams, token, 200, true, false, UserHTTP{},
			&NoReplyError{Fault: evidence.Timeout, Opened: true, Endless: true}},
		{"one that names no version", streams, token, 200, true, false, UserHTTP{Header: "X-Version"},
			&NoReplyError{Fault: evidence.WrongServer, Opened: true}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", row.is)
				w.WriteHeader(row.status)
				for ok := true; ok; ok = row.goesOn {
					if _, err := io.WriteString(w, row.text); err != nil || http.NewResponseController(w).Flush() != nil {
						return
					}
				}
				if row.cuts {
					panic(http.ErrAbortHandler)
				}
			}))
			defer app.Close()
			lane := streamLane(app.URL, patient)
			if row.goesOn {
				lane.Longest = 100 * time.Millisecond
			}
			var none *NoReplyError
			if _, err := row.asks.RequestOn(lane, patient); err != nil && !errors.As(err, &none) {
				t.Fatal(err)
			}
			ignored := []string{"Because"}
			if row.want != nil && row.want.Endless {
				ignored = append(ignored, "Tokens") // as many as came
			}
			if diff := cmp.Diff(row.want, none, cmpopts.IgnoreFields(NoReplyError{}, ignored...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A reply that begins and does not end is told from one that does not come.
func TestReplyWithoutAnEnd(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer app.Close()
	_, err := (&UserHTTP{}).Request(app.URL, "", stalled)
	var none *NoReplyError
	if !errors.As(err, &none) || !none.Begun || none.Fault != evidence.Timeout || !none.Opened {
		t.Errorf("%+v", none)
	}
}
