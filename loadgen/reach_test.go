package loadgen

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
	if _, err := p.requestTwice(evidence.Lane{Target: app.URL}, 200*time.Millisecond); err != nil || asked.Load() != 2 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
	refused := asked.Load()
	if _, err := p.requestTwice(evidence.Lane{Target: "http://" + refusing(t)}, 200*time.Millisecond); err == nil || asked.Load() != refused {
		t.Errorf("a port that refuses is asked twice: %v", err)
	}
}
