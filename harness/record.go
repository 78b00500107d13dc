package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/observe"
	"rollcall/harness/progress"
	"rollcall/harness/userapp"
)

// A recording is a scenario that is being recorded on a cluster.
type recording struct {
	Scenario
	rig       *Rig
	cluster   *cluster.Cluster
	space     space
	namespace string // of the space
	began     time.Time
	told      *progress.Entry
	out       io.Writer
	run       evidence.Run
	recorder  *store.Recorder
	watch     *observe.Watch
	clients   *clients
	observers *observers
	boots     map[string]string             // node -> id of the boot of its kernel
	undo      []func(context.Context) error // changes of the cluster, in the order made
	rate      int                           // it is made with
	tooMuch   string                        // why the rollout was not begun: its load is more than this machine carries
}

// record runs the scenario once and puts what was seen into folder. The evidence there is whole, or
// says why it is not. The recording, unless it is nil, has to be left by [recording.leave]. The error is about a
// folder that cannot be written.
func (a attempt) record(ctx context.Context, s Scenario, sp space, folder string, rate int) (r *recording, err error) {
	r = &recording{Scenario: s, rig: a.rig, cluster: a.cluster, space: sp, namespace: sp.name, began: time.Now(), told: a.entry, out: a.out, run: a.header(s), rate: rate}
	r.run.Began = r.began.UTC()
	r.run.OldVersion, r.run.NewVersion, r.run.Unloaded = appVersions[0], appVersions[1], s.Walk != nil
	if s.Own != nil {
		r.run.UserApp = s.Own.Known()
	}
	if s.Rollout != nil {
		r.run.OldVersion, r.run.NewVersion = s.Rollout.Versions()
	}
	if r.recorder, err = store.Record(folder, r.run); err != nil {
		return nil, err
	}
	defer r.recorder.Abandon()

	do := r.rollOutUnderLoad
	if s.Walk != nil {
		do = r.walkThrough
	}
	broke := r.change(ctx)
	if broke == nil {
		broke = do(ctx)
	}
	afterwards := context.WithoutCancel(ctx)
	if r.clients != nil {
		r.run.Distrust = append(r.run.Distrust, r.clients.collect(afterwards, r.began)...)
		r.run.Lanes, r.run.Clocks = r.clients.lanes, shareClocks(r.clients.clocks, r.boots)
	}
	r.stopWatching(afterwards)
	if r.tooMuch != "" {
		return r, nil
	}
	var lack *cluster.Lack
	if errors.As(broke, &lack) {
		r.run.Skipped = lack.Because
	} else if broke != nil {
		r.run.Distrust = append(r.run.Distrust, broke.Error())
	}
	r.run.Length = time.Since(r.began)
	return r, r.recorder.Finish(r.run)
}

// change changes the cluster as the scenario asks; leave undoes it.
func (r *recording) change(ctx context.Context) error {
	for _, change := range r.Given {
		fmt.Fprintln(r.out, r.told.Tell(progress.Running{Phase: "making " + change.String()}))
		undo, err := change.Make(ctx, r.cluster)
		if undo != nil {
			r.undo = append(r.undo, undo)
		}
		if err != nil {
			return fmt.Errorf("make %s: %w", change, err)
		}
	}
	return nil
}

// rollOutUnderLoad is the scenario from the first object to the last hit.
func (r *recording) rollOutUnderLoad(ctx context.Context) error {
	fmt.Fprintln(r.out, r.told.Tell(progress.Running{Phase: "deploying"}))
	deployed := r.spend(evidence.DeployPart)
	err := r.deploy(ctx)
	deployed()
	if err != nil {
		return fmt.Errorf("deploy: %w", err)
	}
	if err := r.clients.start(ctx, r.began, r.recorder); err != nil {
		return fmt.Errorf("start the load: %w", err)
	}
	defer func() { _ = r.clients.stop(context.WithoutCancel(ctx)) }() // again, if it broke; collect tells of errors
	r.watch.Mark(evidence.LoadBegun)
	r.run.Lanes, r.run.Clocks = r.clients.lanes, shareClocks(r.clients.clocks, r.boots)
	if err := r.recorder.Describe(r.run); err != nil {
		return err
	}
	if err := r.steadily(ctx); err != nil || r.tooMuch != "" {
		return err
	}
	r.watch.Mark(evidence.RolloutBegun) // before the write: what follows from it is seen while it returns
	over := r.spend(evidence.RolloutPart)
	if err = r.Rollout.Begin(ctx, r.cluster.Client, r.namespace, r.App); err == nil {
		err = r.finish(ctx)
	}
	over()
	if err != nil {
		return err
	}
	settled := r.spend(evidence.SettlePart)
	err = r.pass(ctx, "after the rollout", r.Load.Settle)
	settled()
	if err != nil {
		return err
	}
	if err := r.clients.stop(ctx); err != nil {
		return err
	}
	r.watch.Mark(evidence.LoadEnded)
	return nil
}

// deploy puts the old version and the clients in place, and returns when every vantage reaches the app.
func (r *recording) deploy(ctx context.Context) error {
	limit := r.rig.patience(deployPatience)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not up after %v", limit))
	defer cancel()
	if err := r.enter(ctx); err != nil {
		return err
	}
	service, err := r.Rollout.Deploy(ctx, r.cluster.Client, r.namespace, r.App, r.cluster.NodePort())
	if err != nil {
		return err
	}
	if r.clients, err = newClients(ctx, r, service); err != nil {
		return err
	}
	if r.watch, err = observe.Start(ctx, r.cluster.Client, r.scope(service.Name), r.began, r.recorder); err != nil {
		return err
	}
	if err := r.undisturbed(ctx); err != nil {
		return err
	}
	if err := r.observe(ctx); err != nil {
		return err
	}
	if err := r.watch.Until(ctx, func(s observe.State) bool { return r.Rollout.Deployed(s, r.App) }); err != nil {
		return err
	}
	if r.App.Unprobed { // ready before it listens: nobody but its start delay tells
		if err := r.pass(ctx, "starting", r.App.StartDelay); err != nil {
			return err
		}
	}
	return r.clients.reachable(ctx, r.watch.Knows)
}

// scope is what is watched: the pods of the app, by the label that has their version, and the endpoints of its Service.
func (r *recording) scope(service string) observe.Scope {
	scope := observe.Scope{Namespace: r.namespace, Service: service, VersionLabel: fixtures.VersionLabel}
	scope.Patience = r.rig.silence()
	if r.Own != nil {
		scope.VersionLabel, scope.Mute = userapp.VersionLabel, true
	}
	return scope
}

// enter makes the space ready for pods.
func (r *recording) enter(ctx context.Context) error {
	standard := fixtures.Restricted
	if r.Own != nil {
		standard = r.Own.PodSecurity()
	}
	if err := r.space.open(ctx, r.cluster.Client, r.rig.session.ID, standard); err != nil {
		return err
	}
	return r.rig.bringSecret(ctx, r.space)
}

// observe has the rules of every node observed, unless the cluster's owner does not want that.
func (r *recording) observe(ctx context.Context) (err error) {
	if r.boots, err = r.cluster.Boots(ctx); err != nil {
		return err
	}
	if because := r.cluster.Observable(); because != "" {
		r.run.Lacks = append(r.run.Lacks, evidence.Feature{Name: evidence.NodeRules, Because: because})
		return nil
	}
	nodes := slices.Sorted(maps.Keys(r.boots))
	if r.observers, err = startObservers(ctx, r.cluster.Client, r.space, r.rig.session.ID, nodes, r.rig.stretch() > 1, r.watch); err != nil {
		return fmt.Errorf("observe the nodes' rules: %w", err)
	}
	if r.observers.lacks != "" {
		r.run.Lacks = append(r.run.Lacks, evidence.Feature{Name: evidence.NodeRules, Because: r.observers.lacks})
		if r.observers.some || !r.cluster.Attached() && !slices.Contains(r.Given, cluster.NoProxy()) {
			r.run.Distrust = append(r.run.Distrust, r.observers.lacks+", and was expected to have one")
		}
	}
	return nil
}

// finish waits until the rollout is done by the API server's word, then until the last old pod is gone, if the
// rollout ends them, and then until it is over for clients. That an old pod is gone while a node's rules still lead
// to it to the end is for the rules to judge.
func (r *recording) finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.rig.patience(rolloutPatience), observe.ErrNeverSettled)
	defer cancel()
	defer r.tell(ctx, "rolling out")()
	if err := r.watch.Until(ctx, func(s observe.State) bool { return r.Rollout.Settled(s, r.App) }); err != nil {
		return err
	}
	r.watch.Mark(evidence.StatusDone)
	old, _ := r.Rollout.Versions()
	gone := false
	err := r.watch.Until(ctx, func(s observe.State) bool {
		if !gone && s.Count(old) == 0 {
			r.watch.Mark(evidence.OldGone)
			gone = true
		}
		return r.Rollout.Over(s, r.App)
	})
	if err == nil {
		r.watch.Mark(evidence.Barrier)
	}
	if gone && errors.Is(err, observe.ErrNeverSettled) {
		return nil
	}
	return err
}

// steadily lets the load run before anything changes, until nothing has changed for a while, and looks meanwhile how late
// clients are. Where they are late already with nothing to do beside it, the load is more than this machine carries.
func (r *recording) steadily(ctx context.Context) error {
	defer r.spend(evidence.SteadyPart)()
	began := time.Since(r.began)
	d := steady
	for _, change := range r.Given {
		if resting, ok := change.(interface{ Rest() time.Duration }); ok {
			d = max(d, resting.Rest())
		}
	}
	defer r.tell(ctx, "before the rollout")()
	if err := r.atRest(ctx, d); err != nil {
		return err
	}
	if r.rate <= rateSteps[len(rateSteps)-1] {
		return context.Cause(ctx)
	}
	r.tooMuch = r.clients.lateSince(began + warmUp)
	return context.Cause(ctx)
}

// atRest returns when so much time has passed, and no pod and no endpoint has changed in the last of it.
func (r *recording) atRest(ctx context.Context, d time.Duration) error {
	limit := r.rig.patience(deployPatience)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("pods or endpoints kept changing for %v before the rollout", limit))
	defer cancel()
	began, was := time.Now(), observe.State{}
	for {
		limited, cancel := context.WithTimeout(ctx, max(rest, d-time.Since(began)))
		err := r.watch.Until(limited, func(s observe.State) bool {
			changed := !was.Like(s)
			was = s
			return changed
		})
		cancel()
		if err != nil { // nothing changed, or ctx ended
			return context.Cause(ctx)
		}
	}
}

// spend notes, when the function returned is called, what part of the recording the time since was.
func (r *recording) spend(part evidence.Part) (done func()) {
	return r.rig.spend(evidence.Span{Part: part, Mode: r.run.Mode, Suite: r.run.Suite, Scenario: r.ID})
}

// pass lets a phase last.
func (r *recording) pass(ctx context.Context, phase string, d time.Duration) error {
	defer r.tell(ctx, phase)()
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tellEvery is how often a progress line is printed.
const tellEvery = 5 * time.Second

// tell prints a progress line now and then, until the returned function is called.
func (r *recording) tell(ctx context.Context, phase string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			now := r.clients.progress(ctx)
			now.Phase = phase
			fmt.Fprintln(r.out, r.told.Tell(now))
			select {
			case <-ctx.Done():
				return
			case <-time.After(tellEvery):
			}
		}
	}()
	return func() { cancel(); <-done }
}

// stopWatching returns when all that the watch and the observers noted is with the recorder, or says what is not.
func (r *recording) stopWatching(ctx context.Context) {
	if r.watch == nil {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, collectPatience, fmt.Errorf("not done in %v", collectPatience))
	defer cancel()
	if r.observers != nil {
		if err := r.observers.end(ctx); err != nil {
			r.run.Distrust = append(r.run.Distrust, err.Error())
		}
	}
	r.watch.Stop(ctx)
}
