package loadgen

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

func TestABackgroundIsOfNoLaneAndCountsItsFailures(t *testing.T) {
	var asked, named atomic.Int32
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Vegeta-Attack") != "" {
			named.Add(1)
		}
		if asked.Add(1)%2 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer app.Close()
	b := StartBackground(app.URL, 100)
	for asked.Load() < 10 {
		time.Sleep(time.Millisecond)
	}
	sent, failed := b.Stop()
	if sent < 10 || failed != sent/2 || named.Load() != 0 {
		t.Errorf("%d sent, %d failed, %d were of a lane", sent, failed, named.Load())
	}
	if again, _ := b.Stop(); again != sent {
		t.Errorf("%d sent when asked again", again)
	}
}
