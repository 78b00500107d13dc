package runner

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"rollcall/harness"
	"rollcall/harness/evidence/store"
	"rollcall/harness/lock"
)

// A shared recording is one of a rollout that several scenarios, of any suites, ask about: it is made once, by the first that
// comes, and each judges it by its own rules. Whoever holds its lock makes it, or finds it made.
type shared struct {
	held *lock.Lock
	file string
	made sharedFile
}

// sharedFile says where a recording is that others may judge.
type sharedFile struct {
	Scenario string `json:"scenario"` // with its suite
	Folder   string `json:"folder"`
}

// share waits for whoever makes the same recording, and gives what was made; nil for a scenario whose recording serves nobody
// else. The caller releases it.
func (t *turns) share(ctx context.Context, s harness.Scenario) (*shared, error) {
	rollout := rolloutKey(s)
	if rollout == "" || t.dir == "" {
		return nil, nil
	}
	r := &shared{file: filepath.Join(t.dir, "recording-"+rollout+".json")}
	var err error
	if r.held, err = lock.Acquire(ctx, r.file+".lock", func(string) {}); err != nil {
		return nil, err
	}
	if err := store.ReadJSON(r.file, &r.made); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, r.held.Release())
	}
	return r, nil
}

// offer lets others judge the recording in a folder.
func (r *shared) offer(scenario, folder string) error {
	if r == nil {
		return nil
	}
	return store.WriteJSON(r.file, sharedFile{scenario, folder})
}

func (r *shared) release() error {
	if r == nil {
		return nil
	}
	return r.held.Release()
}

// rolloutKey is the same for scenarios of which one recording serves all: the same app under the same load, rolled out the same
// way on the same cluster. It is empty for one whose recording serves nobody else: steps and disruptions are code, an app of somebody
// else's stands alone, and a negative control may be made again until it shows damage.
func rolloutKey(s harness.Scenario) string {
	if s.Steps != nil || s.Disruption != nil || s.Own != nil || s.UserApp != nil || s.Tries > 1 {
		return ""
	}
	app, err := json.Marshal(s.App)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(app, " %+v %T%+v %v", s.Load, s.Rollout, s.Rollout, s.ClusterChanges)))[:16]
}
