package loadgen

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// TestResendingHidesDeadConnections loads an app whose connections break at their second request, like those to a pod that exits.
// It shows what a client that resends as net/http does, such as vegeta's GETs, does not see.
func TestResendingHidesDeadConnections(t *testing.T) {
	const enough = 100 // requests, over 20 connections
	for _, tt := range []struct {
		sentence string
		resends  bool
	}{
		{"POSTs fail as often as connections die", false},
		{"GETs are sent again, and none fails", true},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			var mu sync.Mutex
			served := map[string]bool{} // by the address of a client whose connection is alive: another may have it later
			requests, deaths, loaded, once := 0, 0, make(chan struct{}), sync.Once{}
			app := serveApp(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if requests++; requests > enough {
					once.Do(func() { close(loaded) })
				}
				if !served[r.RemoteAddr] {
					served[r.RemoteAddr] = true
					return
				}
				delete(served, r.RemoteAddr)
				deaths++
				panic(http.ErrAbortHandler)
			})
			l := lane(evidence.Reused, app.URL, 400)
			l.Resends = tt.resends
			a := mustStart(t, l, patient)
			arrive(t, "load", loaded)

			failed, resent := 0, 0
			for _, h := range hitsOf(t, a) {
				resent += int(h.Attempts) - 1
				if !h.Failed() {
					continue
				}
				failed++
				if h.Fault != evidence.Closed && h.Fault != evidence.Reset {
					t.Errorf("number %d failed as %q, want closed or reset", h.Seq, h.Fault)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			want := map[bool][2]int{false: {deaths, 0}, true: {0, deaths}}[tt.resends]
			if deaths == 0 || failed != want[0] || resent != want[1] {
				t.Errorf("of %d dead connections %d were failures and %d resent, want %d and %d", deaths, failed, resent, want[0], want[1])
			}
		})
	}
}

// A lane that resends sends nothing again that net/http would not. Each row's second request goes over the connection of the first,
// which does not answer it.
func TestWhatIsNotResent(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		app      *UserHTTP
		stalls   bool
		attempts int16
		want     evidence.Fault
	}{
		{"a GET whose connection ended is sent again", nil, false, 2, evidence.Closed},
		{"a GET that was not answered in time is not", nil, true, 1, evidence.Timeout},
		{"a POST is not", &UserHTTP{Method: http.MethodPost}, false, 1, evidence.Closed},
		{"a GET with a body is not", &UserHTTP{Body: []byte("a")}, false, 1, evidence.Closed},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			var requests atomic.Int32
			app := serveApp(t, func(_ http.ResponseWriter, r *http.Request) {
				if requests.Add(1) == 1 {
					return
				}
				if tt.stalls {
					<-r.Context().Done() // until the client has gone
				}
				panic(http.ErrAbortHandler)
			})
			l := lane(evidence.Reused, app.URL, 1)
			l.Resends = true
			timeout := patient
			if tt.stalls {
				timeout = stalled
			}
			c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: timeout, UserHTTP: tt.app})
			t.Cleanup(c.close)
			c.send(0)
			c.send(reusedConns) // the next of the same slot
			if h := kept(t, c)[1]; h.Attempts != tt.attempts || h.Fault != tt.want && h.Fault != evidence.Reset {
				t.Errorf("%d attempts, fault %q; want %d, %q", h.Attempts, h.Fault, tt.attempts, tt.want)
			}
		})
	}
}
