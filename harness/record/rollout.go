package record

import (
	"context"
	"errors"
	"fmt"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/loadgen"
)

// A subject is what happens under load, and its phase in progress lines.
type subject struct{ name, phase string }

func (r *Recording) subject() subject {
	switch {
	case r.Disruption == nil || r.Disruption.RollsOut || r.run.OldVersion != r.run.NewVersion:
		return subject{"the rollout", "rolling out"}
	case r.Disruption.ByOthers():
		return subject{"the maintenance", "under maintenance"}
	default:
		return subject{"the disruption", "disrupting"}
	}
}

// rollOut makes the write that begins the rollout, begins the disruption, if there is one, and waits for the end of both.
func (r *Recording) rollOut(ctx context.Context) error {
	r.watch.Mark(evidence.RolloutBegun) // before the write: its effects may be seen before it returns
	if err := r.Rollout.Begin(ctx, r.client(), r.into(), r.App); err != nil {
		return err
	}
	whole := func(context.Context) error { return nil }
	if r.Disruption != nil {
		stage := disruption.Stage{Namespace: r.Lease.Name, Into: r.into(), App: r.App, Old: r.run.OldVersion, Note: r.watch.Note,
			Expired: r.watch.Expired, Seen: r.watch.Objects()}
		switch {
		case r.Disruption.ByOthers():
		case r.Disruption.Drains && r.Cluster.Attached():
			stage.Attached = r.Cluster
		default:
			var err error
			if stage.Cluster, err = cluster.Ours(r.Cluster); err != nil {
				return err
			}
		}
		doing := r.Disruption.Begin(ctx, stage)
		defer doing.End()
		whole = doing.Wait
		waiting, fail := context.WithCancelCause(ctx)
		defer fail(nil)
		go func() { // a failed disruption ends the wait for a rollout that it was to make, or has broken
			if err := doing.Wait(waiting); err != nil {
				fail(err)
			}
		}()
		ctx = waiting
	}
	return r.awaitRollout(ctx, whole)
}

// awaitRollout waits until the rollout is done according to the API server, then until the last old pod is gone, if the
// rollout ends old pods, and then until it is over for clients and the cluster is whole. If nodes' rules still route to old pods
// when the time limit is reached, that is not an error: the verdict judges it.
func (r *Recording) awaitRollout(ctx context.Context, whole func(context.Context) error) error {
	limit := r.stretched(rolloutTimeout)
	if r.Disruption != nil {
		limit += r.Disruption.Limit()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, observe.ErrNeverSettled)
	defer cancel()
	old, next := r.Rollout.Versions()
	defer func() { r.newest = r.watch.Commonest() }()
	defer r.printProgress(ctx, always(r.subject().phase))()
	if err := r.watch.Until(ctx, func(s observe.State) bool { return r.Rollout.Settled(s, r.App) }); err != nil {
		return err
	}
	if old != next {
		r.watch.Mark(evidence.StatusDone)
	}
	gone := false
	over := func(s observe.State) bool {
		if !gone && old != next && s.Count(old) == 0 {
			r.watch.Mark(evidence.OldGone)
			gone = true
		}
		return r.Rollout.Over(s, r.App)
	}
	var err error
	if old != next {
		err = r.watch.Until(ctx, over)
	}
	if err == nil {
		err = whole(ctx)
	}
	if r.Disruption != nil { // it may have ended long before its limit
		limited, cancel := context.WithTimeoutCause(ctx, r.stretched(rolloutTimeout), observe.ErrNeverSettled)
		defer cancel()
		ctx = limited
		r.clients.awaitAnswers(ctx)
	}
	if err == nil {
		err = r.watch.Until(ctx, over)
	}
	if err == nil {
		r.watch.Mark(evidence.Barrier)
	}
	if gone && errors.Is(err, observe.ErrNeverSettled) {
		return nil
	}
	return err
}

// prepareSteps creates the namespace of a scenario without load and watches it.
func (r *Recording) prepareSteps(ctx context.Context) error {
	if err := r.createNamespace(ctx); err != nil {
		return err
	}
	if err := r.startWatch(ctx, r.App.ResourceName()); err != nil {
		return err
	}
	if !r.ObservesNodes() {
		return nil
	}
	if err := r.createObservers(ctx, fixtures.Flows{}); err != nil {
		return err
	}
	return r.observeNodes(ctx)
}

func (r *Recording) runSteps(ctx context.Context, do func(context.Context, *harness.Steps)) error {
	c := harness.StepsConfig{Client: r.Cluster.Client(), Into: r.into(), Watch: r.watch, Cluster: r.Cluster, Exposes: r.ObservesNodes()}
	c.Reach = func(ctx context.Context, url string) error { return awaitReplies(ctx, url, r.watch.Knows) }
	c.Requests = harness.RequestConfig{
		Config: loadgen.Config{Began: r.began, Service: r.App.ResourceName(), LaneSuffix: r.laneSuffix, Ports: loadgen.NewLocalPorts()},
		Begin: func(lane evidence.Lane) error {
			r.run.Lanes = append(r.run.Lanes, lane)
			return r.recorder.Update(r.run)
		},
		Note: func(h evidence.Hit) { r.recorder.Hits(h) },
	}
	steps := harness.NewSteps(c)
	steps.Mark(evidence.LoadBegun)
	defer steps.Mark(evidence.LoadEnded)
	fmt.Fprintln(r.Out, r.Entry.Update(progress.Running{Phase: "without load"}))
	return steps.Take(ctx, do)
}
