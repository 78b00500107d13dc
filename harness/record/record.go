package record

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
)

// Config says where and how a scenario is recorded.
type Config struct {
	Cluster    cluster.Cluster // nil: a client on this host sends requests to a URL, and nothing is created
	Lease      namespace.Lease // of a namespace that does not exist yet
	Folder     string          // for the evidence
	Header     evidence.Run    // what is known before the recording begins
	Session    string          // id of the run
	Stretch    int             // how many times longer than usual the cluster takes; see evidence.Trial
	Images     fixtures.ImageSources
	PullSecret string // file with the credentials nodes pull with; empty: none
	CheckLoad  bool   // do not begin the rollout if the load is more than this machine can carry
	// Sink wraps the sink that the watch writes to; nil: it is not wrapped.
	Sink  func(observe.Sink) observe.Sink
	Entry *progress.Entry
	Out   io.Writer
	Spend func(evidence.Part) (done func()) // notes the time until done as spent on a part
	// Rested is called when nothing is sent, deployed or deleted any more, before what was seen is collected. It is not called if the load
	// was too much.
	Rested func()
}

// A Recording is the recording of a scenario, from Record to Cleanup.
type Recording struct {
	harness.Scenario
	harness.UnderLoad // zero in steps
	Config
	began      time.Time
	laneSuffix string // ends the name of each lane in requests, so that no other client can name one
	run        evidence.Run
	recorder   *store.Recorder
	watch      *observe.Watch
	clients    *clients
	observers  *observers
	waits      *observe.CPUMeter       // nil: not measured
	stopNames  func()                  // ends followNames
	guarding   sync.WaitGroup          // for guard
	end        context.CancelCauseFunc // ends the stages
	loadEnded  sync.Once
	boots      map[string]string             // boot id of each node's kernel
	undo       []func(context.Context) error // undo functions of the changes of the cluster, in the order of the changes
	tooMuch    string                        // see TooMuch
	newest     string                        // version of most pods at the end of the rollout
}

// suffixLength is how many characters of rand.Text, of 5 bits each, a laneSuffix has. They are in each arrival of the app's log; 10 make
// 50 bits, of which 100,000 guesses a second for a day try 1 in 100,000.
const suffixLength = 10

// Record runs the scenario once and writes the evidence into the folder. The evidence is whole, or says why it is not.
// The caller must clean the recording up unless it is nil. The error is that the folder cannot be written or, as a [usage.Error],
// why clients get no replies from an app that runs already; nothing was recorded then.
func Record(ctx context.Context, s harness.Scenario, c Config) (r *Recording, err error) {
	load, loaded := s.Kind.(harness.UnderLoad)
	r = &Recording{Scenario: s, UnderLoad: load, Config: c, began: time.Now(), laneSuffix: "." + rand.Text()[:suffixLength], run: c.Header,
		stopNames: func() {}}
	nodeName := func(name string) string { return name }
	if c.Cluster != nil {
		r.run.Emulated = !c.Cluster.Attached() && host.Emulated()
		nodeName = c.Cluster.NodeName
	}
	r.run.Began, r.run.Limits = r.began.UTC(), s.Limits
	r.run.OldVersion, r.run.NewVersion, r.run.Unloaded = harness.OldVersion, harness.NewVersion, !loaded
	if load.UserApp != nil {
		r.run.UserApp = load.UserApp.Facts()
	}
	if load.Rollout != nil {
		r.run.OldVersion, r.run.NewVersion = load.Rollout.Versions()
	}
	if load.Disruption != nil {
		r.run.Disruption = load.Disruption.Recorded(nodeName)
		r.App.Nodes = nil
		for _, node := range s.App.Nodes {
			r.App.Nodes = append(r.App.Nodes, nodeName(node))
		}
	}
	if r.recorder, err = store.Record(c.Folder, r.run); err != nil {
		return nil, err
	}
	defer r.recorder.Abort()
	staged, end := context.WithCancelCause(ctx)
	r.end = end
	failed := r.execute(staged)
	if lost := Unrecorded(staged); lost != nil {
		failed = lost // whatever the stages say that it made of them
	}
	end(nil)
	r.guarding.Wait()
	r.rest(context.WithoutCancel(ctx))
	r.collect(context.WithoutCancel(ctx))
	if r.tooMuch != "" {
		return r, nil
	}
	if refused := (*usage.Error)(nil); errors.As(failed, &refused) { // before any load
		return r, refused
	}
	var lack *cluster.Unsupported
	if errors.As(failed, &lack) {
		r.run.Skipped = lack.Because
	} else if failed != nil {
		r.distrust(reasonOf(failed))
	}
	var broken *disruption.BrokenError
	if errors.As(failed, &broken) {
		r.condemn(broken)
	}
	if r.Existing != nil && r.Existing.Pods != nil {
		r.run.NewVersion = cmp.Or(r.newest, r.run.NewVersion)
		if r.watch != nil {
			r.run.VersionNames = r.watch.Names(r.run.OldVersion, r.run.NewVersion)
		}
	}
	r.run.Length = time.Since(r.began)
	return r, r.recorder.Finish(r.kept())
}

// kept returns the run as it is stored: the URLs of its lanes have no secrets.
func (r *Recording) kept() evidence.Run {
	run := r.run
	run.Lanes = slices.Clone(run.Lanes)
	for l := range run.Lanes {
		run.Lanes[l].Target = secret.URLs(run.Lanes[l].Target)
	}
	return run
}

// TooMuch returns why the rollout was not begun if the load is more than this machine can carry, or else "". The evidence is then
// not whole.
func (r *Recording) TooMuch() string { return r.tooMuch }

// A stage is a part of a recording.
type stage struct {
	part evidence.Part // for which its time is noted; empty: it is not noted
	do   func(context.Context) error
}

// execute changes the cluster and runs the stages until one fails, or the load proves to be too much.
func (r *Recording) execute(ctx context.Context) error {
	if r.Cluster == nil {
		return r.through(ctx,
			stage{evidence.DeployPart, r.openHost},
			stage{"", r.startLoad},
			stage{evidence.SteadyPart, r.checkSteadyLoad},
			stage{evidence.RolloutPart, r.rollOut},
			stage{evidence.SettlePart, r.settle},
			stage{"", r.stopLoad})
	}
	if err := r.changeCluster(ctx); err != nil {
		return err
	}
	stages := []stage{
		{evidence.DeployPart, r.prepare},
		{"", r.startLoad},
		{"", r.underLoad},
	}
	if in, is := r.Kind.(harness.InSteps); is {
		limited, cancel := context.WithTimeoutCause(ctx, r.stretched(rolloutTimeout), observe.ErrNeverSettled)
		defer cancel()
		ctx = limited
		stages = []stage{{"", r.prepareSteps}, {evidence.RolloutPart, func(ctx context.Context) error { return r.runSteps(ctx, in.Do) }}}
	}
	return r.through(ctx, stages...)
}

// through runs stages until one fails, or the load proves to be too much.
func (r *Recording) through(ctx context.Context, stages ...stage) error {
	for _, s := range stages {
		if err := r.stage(ctx, s); err != nil || r.tooMuch != "" {
			return err
		}
	}
	return nil
}

// underLoad rolls the app out under load. A pod behind the Service that is not part of the rollout ends it at once.
func (r *Recording) underLoad(ctx context.Context) error {
	stray := strays{watch: r.watch, services: r.Cluster.Client().CoreV1().Services(r.Lease.Name), service: r.clients.service,
		versions: r.versions()}
	await := stray.await
	if r.Existing != nil { // its versions are not known in advance
		await = func(context.Context) error { return nil }
	}
	return unlessStray(ctx, await, func(ctx context.Context) error {
		return r.through(ctx, stage{evidence.SteadyPart, r.checkSteadyLoad}, stage{evidence.RolloutPart, r.rollOut})
	}, func(ctx context.Context) error {
		if r.tooMuch != "" {
			return nil
		}
		return r.through(ctx, stage{evidence.SettlePart, r.settle}, stage{"", r.stopLoad})
	})
}

// versions returns those that may be behind the Service.
func (r *Recording) versions() []string {
	old, next := r.Rollout.Versions()
	versions := []string{old, next}
	for _, x := range r.Expect {
		versions = append(versions, x.Versions...)
	}
	return versions
}

func (r *Recording) stage(ctx context.Context, s stage) error {
	if s.part != "" {
		defer r.Spend(s.part)()
	}
	return s.do(ctx)
}

// changeCluster makes the scenario's changes of the cluster; Cleanup undoes them.
func (r *Recording) changeCluster(ctx context.Context) error {
	for _, asked := range r.ClusterChanges {
		fmt.Fprintln(r.Out, r.Entry.Update(progress.Running{Phase: "making " + asked.String()}))
		undo, err := cluster.Make(ctx, r.Cluster, asked)
		if undo != nil {
			r.undo = append(r.undo, undo)
		}
		if err != nil {
			return fmt.Errorf("make %s: %w", asked, err)
		}
	}
	return r.noteVersions(ctx)
}

// noteVersions notes the versions of the component that may have the scenario's bug.
func (r *Recording) noteVersions(ctx context.Context) (err error) {
	if r.Bug != nil {
		r.run.ComponentVersions, err = change.Versions(ctx, r.Cluster, kube.Component(r.Bug.Component))
	}
	return err
}

func (r *Recording) client() kubernetes.Interface {
	if r.Cluster == nil {
		return nil
	}
	return r.Cluster.Client()
}

func (r *Recording) into() fixtures.Destination {
	return fixtures.Destination{Namespace: r.Lease.Name, Run: r.Lease.Run, Images: r.Images}
}

// distrust notes why parts of the recording cannot be trusted.
func (r *Recording) distrust(reasons ...evidence.Reason) {
	r.run.Reasons = append(r.run.Reasons, reasons...)
}

// reasonOf returns a reason with the scope of everything: a stage that failed may have kept anything from being seen.
func reasonOf(failed error) evidence.Reason {
	id := evidence.StageFailed
	var stray *strayError
	switch {
	case errors.As(failed, &stray):
		id = evidence.StrayEndpoint
	case errors.Is(failed, observe.ErrNeverSettled):
		id = evidence.NeverSettled
	}
	return evidence.Reason{ID: id, Because: failed.Error()}
}

// stretched returns a time limit, multiplied for a slow cluster.
func (r *Recording) stretched(d time.Duration) time.Duration {
	return time.Duration(max(1, r.Stretch)) * d
}
