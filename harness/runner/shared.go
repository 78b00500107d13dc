package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/rollcall/harness"
)

// A shared recording is one of a rollout that several scenarios, of any suites, ask about: it is made once, by the first that
// comes, and each judges it by its own rules. Whoever holds it makes it, or finds it made.
type shared struct {
	held     chan struct{} // is full while somebody has it
	scenario string        // that it was made for, with its suite
	folder   string        // empty: there is none that others may judge
}

// share waits for whoever makes the same recording; nil for a scenario whose recording serves nobody else. The caller releases it.
func (t *turns) share(ctx context.Context, s harness.Scenario) (*shared, error) {
	rollout := rolloutKey(s)
	if rollout == "" {
		return nil, nil
	}
	t.mu.Lock()
	r := t.recordings[rollout]
	if r == nil {
		r = &shared{held: make(chan struct{}, 1)}
		if t.recordings == nil {
			t.recordings = map[string]*shared{}
		}
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

// made reports whether there is a recording to judge.
func (r *shared) made() bool { return r != nil && r.folder != "" }

// offer lets others judge the recording in a folder.
func (r *shared) offer(scenario, folder string) {
	if r != nil {
		r.scenario, r.folder = scenario, folder
	}
}

func (r *shared) release() {
	if r != nil {
		<-r.held
	}
}

// rolloutKey is the same for scenarios of which one recording serves all: the same app under the same load, rolled out the same
// way on the same cluster. It is empty for one whose recording serves nobody else: steps, disruptions and some strategies are code, an
// app of somebody else's stands alone, and a negative control may be made again until it shows damage.
func rolloutKey(s harness.Scenario) string {
	if s.Steps != nil || s.Disruption != nil || s.Own != nil || s.UserApp != nil || s.Tries > 1 {
		return ""
	}
	if _, is := s.Rollout.(interface{ IsCode() }); is {
		return ""
	}
	app, err := json.Marshal(s.App)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %+v %T%+v %v", app, s.Load, s.Rollout, s.Rollout, s.ClusterChanges)
}
