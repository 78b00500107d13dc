package loadgen

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
