package record

import (
	"context"
	"errors"
	"time"

	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/observe"
	"rollcall/harness/usage"
)

// FromHost records what clients on this host alone see of a URL. It uses no cluster, creates nothing, and is else as [Record].
func FromHost(ctx context.Context, s harness.Scenario, c Config) (r *Recording, err error) {
	c.Cluster = nil
	r = &Recording{Scenario: s, Config: c, began: time.Now(), run: c.Header}
	r.run.Began, r.run.UserApp = r.began.UTC(), s.UserApp.Facts()
	r.run.OldVersion, r.run.NewVersion = s.Rollout.Versions()
	r.run.Disruption = s.Disruption.Recorded(func(name string) string { return name })
	if r.recorder, err = store.Record(c.Folder, r.run); err != nil {
		return nil, err
	}
	defer r.recorder.Abort()
	r.watch = observe.None(r.began, r.recorder)
	failed := r.through(ctx,
		stage{evidence.DeployPart, r.openHost},
		stage{"", r.startLoad},
		stage{evidence.SteadyPart, r.checkSteadyLoad},
		stage{evidence.RolloutPart, r.rollOut},
		stage{evidence.SettlePart, r.settle},
		stage{"", r.stopLoad})
	r.collect(context.WithoutCancel(ctx))
	if refused := (*usage.Error)(nil); errors.As(failed, &refused) { // before any load
		return r, refused
	}
	if r.tooMuch != "" {
		return r, nil
	}
	if failed != nil {
		r.distrust(reasonOf(failed))
	}
	r.run.Length = time.Since(r.began)
	return r, r.recorder.Finish(r.run)
}

// openHost starts the client on this host, and returns when the URL gives it good replies.
func (r *Recording) openHost(ctx context.Context) error {
	r.clients = &clients{load: r.Load, userHTTP: userHTTP(r.UserApp), service: r.App.Name}
	if err := r.clients.openOutside(ctx, r, r.Elsewhere.URL, r.Elsewhere.Address); err != nil {
		return err
	}
	return r.clients.awaitReplies(ctx, r.Elsewhere, r.watch.Knows)
}
