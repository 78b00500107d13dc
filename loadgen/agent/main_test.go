package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// asAgent is the environment variable that makes the test program the agent.
const asAgent = "ROLLCALL_TEST_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(asAgent) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

func TestRefusesWithoutToken(t *testing.T) {
	if err := loadgen.ListenAndServe(t.Context(), "127.0.0.1:0", loadgen.AgentConfig{}); err == nil {
		t.Error("it started")
	}
}

func TestRefusesWithoutAddress(t *testing.T) {
	if err := loadgen.ListenAndServe(t.Context(), "127.0.0.1:no-port", loadgen.AgentConfig{Token: "open-sesame"}); err == nil {
		t.Error("it started")
	}
}

// TestEndsCleanly ends an agent that is loading a lane, and leaves the rest to goleak.
func TestEndsCleanly(t *testing.T) {
	arrived := make(chan struct{}, 1)
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		select {
		case arrived <- struct{}{}:
		default:
		}
	}))
	defer app.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- loadgen.Serve(ctx, listener, loadgen.AgentConfig{Token: "open-sesame"}) }()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	agent := loadgen.Remote{URL: "http://" + listener.Addr().String(), Token: "open-sesame", Client: client}
	lane := evidence.Lane{ID: "worker-fresh", Conn: evidence.Fresh, Target: app.URL, Rate: 100}
	if err := agent.Start(ctx, []evidence.Lane{lane}, loadgen.Config{Began: time.Now(), Service: "shop"}); err != nil {
		t.Fatal(err)
	}
	<-arrived
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}
