package loadgen

import (
	"context"
	"errors"
	"net/http"
	"time"

	"rollcall/harness/evidence"
)

// An Identity says which process an agent is and what its clock shows.
type Identity struct {
	Instance string `json:"instance"` // random, made when the process began: another one betrays a restart
	// Order is the instance that was told to start: another one went on where that stopped. Empty: none was told.
	Order string `json:"order,omitempty"`
	Now   int64  `json:"now"` // Unix nanoseconds
}

// Identity says which process the agent is. One that differs from an earlier answer has restarted. Unless its order is that
// of the earlier one, the hits of that which were not fetched are lost.
func (r Remote) Identity(ctx context.Context) (Identity, error) {
	var id Identity
	err := r.call(ctx, "identity", http.MethodGet, nil, decodeInto(&id))
	return id, err
}

// ReadClock compares the agent's clock with this process's, of a run that began at the instant given. It asks
// the agent the time, as often as samples says, and believes the answer that came soonest: the agent read its
// clock at some moment between question and answer. The reading does not name the node.
func (r Remote) ReadClock(ctx context.Context, began time.Time, samples int) (evidence.ClockReading, error) {
	if samples < 1 {
		return evidence.ClockReading{}, errors.New("loadgen: read clock: no samples were asked for")
	}
	var best evidence.ClockReading
	for i := range samples {
		asked := time.Now()
		id, err := r.Identity(ctx)
		if err != nil {
			return evidence.ClockReading{}, err
		}
		took := time.Since(asked)
		reading := evidence.ClockReading{At: asked.Sub(began) + took/2, Uncertainty: (took + 1) / 2}
		reading.Offset = time.Duration(id.Now-began.UnixNano()) - reading.At
		if i == 0 || reading.Uncertainty < best.Uncertainty {
			best = reading
		}
	}
	return best, nil
}

// identity serves GET /v1/identity.
func (a *Agent) identity(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	order := a.order
	a.mu.Unlock()
	writeJSON(w, Identity{Instance: a.instance, Order: order, Now: time.Now().UnixNano()})
}
