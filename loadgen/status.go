package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Status is what an agent says of itself: which process it is, what its clock shows, and what its lanes met with besides hits.
type Status struct {
	Instance string `json:"instance"` // random, made when the process began: it differs after a restart
	// Order is the instance that was told to start; a later instance continues it. Empty: none was told.
	Order string `json:"order,omitempty"`
	Now   int64  `json:"now"` // Unix nanoseconds
	// Troubles are, by lane, the text of the first error of no known type, such as a client without free ports. It puts the recording
	// in doubt, though never in favour of the cluster: the hit counts as failed.
	Troubles map[string]string  `json:"troubles,omitempty"`
	Absences []evidence.Absence `json:"absences,omitempty"`
	Noted    []evidence.Event   `json:"noted,omitempty"` // what its lanes observed, by its own clock
}

// Status returns the agent's status. If the instance differs from that of an earlier answer, the agent has restarted; if the order
// differs too, the hits of the earlier instance that were not fetched are lost.
func (r Remote) Status(ctx context.Context) (Status, error) {
	var s Status
	err := r.call(ctx, "status", http.MethodGet, nil, decodeInto(&s))
	return s, err
}

// ReadClock compares the agent's clock with this process's, in a run that began at the time given. It asks the agent samples times
// and takes the fastest answer: the agent read its clock at some moment between question and answer. The reading does not name the
// node.
func (r Remote) ReadClock(ctx context.Context, began time.Time, samples int) (evidence.ClockReading, error) {
	if samples < 1 {
		return evidence.ClockReading{}, errors.New("loadgen: read clock: no samples were asked for")
	}
	var best evidence.ClockReading
	for i := range samples {
		asked := time.Now()
		status, err := r.Status(ctx)
		if err != nil {
			return evidence.ClockReading{}, err
		}
		took := time.Since(asked)
		reading := evidence.ClockReading{At: asked.Sub(began) + took/2, Uncertainty: (took + 1) / 2}
		reading.Offset = time.Duration(status.Now-began.UnixNano()) - reading.At
		if i == 0 || reading.Uncertainty < best.Uncertainty {
			best = reading
		}
	}
	return best, nil
}

// status serves GET /v4/status.
func (a *Agent) status(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	s := Status{Instance: a.instance, Order: a.order, Troubles: map[string]string{}, Absences: slices.Clone(a.state.Absences),
		Noted: slices.Clone(a.state.Noted)}
	a.mu.Unlock()
	for _, attack := range a.started() {
		if trouble := attack.client.buffer.firstTrouble(); trouble != "" {
			s.Troubles[attack.client.lane.ID] = trouble
		}
	}
	s.Now = time.Now().UnixNano()
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(s); err != nil {
		panic(http.ErrAbortHandler)
	}
}
