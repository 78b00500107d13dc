package loadgen

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A startRequest is the body of POST /v4/start.
type startRequest struct {
	Config
	Lanes []evidence.Lane `json:"lanes"`
}

// maxStartRequest bounds a startRequest, in bytes.
const maxStartRequest = 1 << 20

// An Agent loads lanes when its API is told to, once in its life: its hits belong to one run. With a spool, its life continues
// in the next process.
//
//	POST /v4/start     a startRequest; 409 when there was one already
//	POST /v4/stop      returns when no request is in flight; may be repeated; 409 before start
//	GET  /v4/hits      the log of ?lane= from position ?from= on, while it is written and after, and the rest of a
//	                   Range as a frame of kind End, or one after the other for each of several such pairs; 404 for an unknown lane, 410 for
//	                   what is before a position asked for before, 416 for one beyond the log; 409 before start
//	GET  /v4/status    a Status
//	POST /v4/reach     asks the target of a reachRequest once; why it gives no good reply, or null
//	GET  /healthz      open to everybody; all others want the bearer token
type Agent struct {
	token    string
	instance string
	api      http.Handler
	spool    *spool // nil: there is none

	ports *LocalPorts

	mu         sync.Mutex
	order      string     // instance that was told to start; empty before
	attacks    []*Attack  // nil before start
	state      spoolState // as it is on the spool
	unfetched  time.Duration
	fetchTimer *time.Timer // ends the load when nobody asks for hits any more; nil before start
}

// An AgentConfig holds the settings of an agent.
type AgentConfig struct {
	Token string // that its callers have to show
	// Spool is a folder that outlives the process: the next one continues with what it finds there. Empty: hits end with the process.
	Spool string
}

// NewAgent returns an agent. If it finds an order on the spool, it continues with it at once.
func NewAgent(cfg AgentConfig) (*Agent, error) {
	if cfg.Token == "" {
		return nil, errors.New("loadgen: make agent: the token is empty")
	}
	a := &Agent{token: cfg.Token, instance: rand.Text(), ports: NewLocalPorts()}
	if cfg.Spool != "" {
		if err := a.open(cfg.Spool); err != nil {
			return nil, fmt.Errorf("loadgen: make agent: spool: %w", err)
		}
	}
	v4 := http.NewServeMux()
	v4.HandleFunc("POST /v4/start", a.start)
	v4.HandleFunc("POST /v4/stop", a.stop)
	v4.HandleFunc("GET /v4/hits", a.hits)
	v4.HandleFunc("GET /v4/status", a.status)
	v4.HandleFunc("POST /v4/reach", a.reach)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/", a.guard(v4))
	a.api = mux
	return a, nil
}

// ServeHTTP serves the API.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.api.ServeHTTP(w, r) }

// Stop ends all lanes, if any were started, and returns when no request is in flight. It may be called again.
func (a *Agent) Stop() {
	a.mu.Lock()
	if a.fetchTimer != nil {
		a.fetchTimer.Stop()
	}
	a.mu.Unlock()
	stopAll(a.started())
}

func (a *Agent) started() []*Attack {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attacks
}

func (a *Agent) guard(next http.Handler) http.Handler {
	want := []byte("Bearer " + a.token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *Agent) start(w http.ResponseWriter, r *http.Request) {
	var o startRequest
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxStartRequest))
	body.DisallowUnknownFields()
	if err := body.Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.attacks != nil {
		http.Error(w, "already started", http.StatusConflict)
		return
	}
	if err := o.check(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch err := a.begin(context.WithoutCancel(r.Context()), o); {
	case errors.Is(err, errUnwritable):
		http.Error(w, err.Error(), http.StatusInsufficientStorage)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

func (a *Agent) stop(w http.ResponseWriter, _ *http.Request) {
	if a.started() == nil {
		http.Error(w, "not started", http.StatusConflict)
		return
	}
	if err := a.noteStop(); err != nil {
		http.Error(w, unwritable(err).Error(), http.StatusInsufficientStorage)
		return
	}
	a.Stop()
}

// config returns the settings of an order's lanes.
func (a *Agent) config(o startRequest) Config {
	o.Ports, o.Note = a.ports, a.note
	return o.withDefaults()
}

func (o startRequest) check() error {
	if len(o.Lanes) == 0 {
		return errors.New("no lanes")
	}
	seen := map[string]bool{}
	for _, lane := range o.Lanes {
		if seen[lane.ID] {
			return fmt.Errorf("two lanes %q", lane.ID)
		}
		seen[lane.ID] = true
		if err := check(lane, o.Config); err != nil {
			return fmt.Errorf("loadgen: start lane %q: %w", lane.ID, err)
		}
	}
	return nil
}

// stopAll stops all pacers before it waits for any request.
func stopAll(attacks []*Attack) {
	for _, attack := range attacks {
		attack.cancel()
	}
	for _, attack := range attacks {
		attack.Stop()
	}
}
