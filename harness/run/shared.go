package run

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/rollcall/harness"
)

// A shared is the one recording of a rollout that several scenarios are about, of any suite: the first of them makes it, and each
// judges it by its own rules. One scenario at a time holds it.
type shared struct {
	held     chan struct{} // full while a scenario holds it
	scenario string        // that it was made for, with its suite
	folder   string        // empty: there is no recording that others may judge
}

// share returns the shared recording of a scenario, once no other scenario holds it; the caller releases it. If no other scenario can use
// the recording, it is a new one each time.
func (t *turns) share(ctx context.Context, s harness.Scenario) (*shared, error) {
	rollout := rolloutKey(s)
	t.mu.Lock()
	r := t.recordings[rollout]
	if r == nil || rollout == "" {
		r = &shared{held: make(chan struct{}, 1)}
		t.recordings[rollout] = r
	}
	t.mu.Unlock()
	select {
	case r.held <- struct{}{}:
		return r, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (r *shared) release() { <-r.held }

// rolloutKey returns a key that is equal for scenarios which can share a recording: the same app under the same load, rolled out the
// same way on the same cluster. It is empty for scenarios that share none: steps, disruptions and some strategies are code, and a negative
// control may be recorded again until it shows damage.
func rolloutKey(s harness.Scenario) string {
	load, loaded := s.At(harness.FullRate, 1).Kind.(harness.UnderLoad) // with its defaults
	if !loaded || load.Disruption != nil || load.FreshCluster != nil || s.Tries > 1 {
		return ""
	}
	if _, is := load.Rollout.(interface{ IsCode() }); is {
		return ""
	}
	app, err := json.Marshal(s.App)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %v %v %v %v %T%+v %v", app, load.Rate, load.Timeout, load.Settle, load.Also, load.Streams,
		load.Rollout, load.Rollout, s.ClusterChanges)
}
