package runner

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/cluster/kind"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/nodeimage"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// A Runner records and judges scenarios. Its zero value is ready for Main or Prepare.
type Runner struct {
	Options
	Out string // run folder; empty: a new one below out/ in the module
	// Watches says that nothing is rolled out, so that fewer rights are needed on a cluster that is not ours.
	Watches bool
	// FromHost says that only this host is used, and no cluster; see [record.Config].
	FromHost bool
	Load     []string // images of this host's Docker to load onto the nodes of kind clusters

	layout  layout.Layout
	modes   []string
	version string // Kubernetes'
	profile harness.Profile
	atOnce  int // modes
	jobs    int // most side by side
	rate    int // at first

	app        *userapp.App      // from the options; nil: none
	attached   *attached.Cluster // the target; nil: clusters are made
	namespaces namespace.Pool

	session    evidence.Session
	editing    sync.Mutex // guards session
	board      *progress.Board
	admitted   bool // the target passed the preflight, or this host its check
	images     fixtures.ImageSources
	folderLock *sharedfile.Lock // of the run folder
	runLock    *sharedfile.Lock // of a run on a target
	hold       *namespace.Hold  // of its preassigned namespaces

	recorder  recorder  // nil: recordWith
	framework selection // from the flags; nil: all features

	breaking sync.Mutex // guards broken
	broken   []string   // what went wrong outside the recordings
}

// Main is the body of a suite's TestMain: it parses the flags, runs the tests and returns the exit
// code, which is 2 for bad input, before anything is created.
func (r *Runner) Main(m *testing.M) int {
	r.List().Register(flag.CommandLine)
	flag.StringVar(&r.Out, "out", "", "run `folder` to write evidence to (default a new one below out/)")
	err := r.parseFlags()
	if err == nil {
		err = r.CheckNamed()
	}
	if err == nil {
		err = r.Prepare()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return m.Run()
}

// Prepare checks the options, and connects to the target if there is one. It creates nothing.
func (r *Runner) Prepare() (err error) {
	if r.modes, err = dataplane.Parse(r.Modes); err != nil {
		return err
	}
	if r.App != "" {
		if r.app, err = userapp.Read(r.App); err != nil {
			return usage.New("--app="+r.App, err.Error(), "see suites/own/README.md")
		}
		if r.App, err = filepath.Abs(r.App); err != nil {
			return err
		}
	}
	if r.Named() {
		if err := r.connect(); err != nil {
			return err
		}
	}
	if r.version, err = nodeimage.Resolve(r.Kubernetes); err != nil {
		return err
	}
	if r.profile, err = parseProfile(r.Profile); err != nil {
		return err
	}
	if r.profile == harness.Smoke {
		r.modes = r.modes[:1]
	}
	r.atOnce = modesAtOnce(len(r.modes))
	if r.jobs, err = parseCount("jobs", r.Jobs, foundJobs(r.atOnce, r.attached != nil), 1, mostJobs); err != nil {
		return err
	}
	if r.rate, err = parseCount("rate", r.Rate, firstRate(r.jobs, runtime.NumCPU()), lowestRate, mostRate); err != nil {
		return err
	}
	if r.layout, err = layout.Find(); err != nil {
		return err
	}
	if r.FromHost {
		r.modes = []string{evidence.NoCluster}
	} else if r.attached == nil {
		if runtime.GOOS != "linux" {
			return usage.New("clusters", "they are made on Linux alone",
				"choose one that exists: --context=NAME; kubectl config get-contexts shows them")
		}
		if !r.layout.MakesClusters() {
			return usage.New("clusters", "the images of their pods are not here", "choose a cluster that exists: --context=NAME, or "+
				attached.InCluster+"; or run this from a clone, or use a release")
		}
		if err := kind.CheckConfig(r.spec("")); err != nil {
			return err
		}
	}
	if r.Out != "" {
		r.Out, err = filepath.Abs(r.Out)
	}
	return err
}

// connect connects to the target, which is then the runner's only cluster, and its mode the only mode.
func (r *Runner) connect() (err error) {
	for _, given := range r.List().Only("k8s", "keep") {
		if said := given.Given(); said != "" {
			return usage.New(said, "it is about clusters that are made, and one that is there is named", "leave it out")
		}
	}
	for _, name := range r.Preassigned() {
		if of := namespace.Observers(name); strings.Contains(r.Allow, harness.NodeRules) && len(of) > validation.DNS1123LabelMaxLength {
			return usage.New("--namespace="+name, fmt.Sprintf("the observers' namespace %s would have %d characters, more than %d", of, len(of),
				validation.DNS1123LabelMaxLength), "name a shorter one")
		}
	}
	mode := ""
	if r.Modes != "" {
		if len(r.modes) > 1 {
			return usage.New("--modes="+r.Modes, "a cluster that is there has one", "leave --modes out: it is found")
		}
		mode = r.modes[0]
	}
	if r.attached, err = r.Connect(context.Background(), mode); err != nil {
		return err
	}
	r.modes, r.namespaces = []string{r.attached.Mode()}, namespace.NewPool(r.Preassigned(), r.attached.Now)
	return nil
}

// deadlineReserve is how long before the deadline of `go test -timeout` a run ends, so that clusters are removed before the panic.
const deadlineReserve = time.Minute

// context returns a context that ends at Ctrl-C, at SIGTERM and shortly before the test binary's own deadline.
func (r *Runner) context(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	deadline, ok := t.Deadline()
	if !ok {
		return ctx, stop
	}
	ctx, cancel := context.WithDeadlineCause(ctx, deadline.Add(-deadlineReserve), errors.New("the test's -timeout is near"))
	return ctx, func() { cancel(); stop() }
}

// RecordBreakage stores a sentence, once, about what went wrong outside a recording.
func (r *Runner) RecordBreakage(what string) {
	r.breaking.Lock()
	defer r.breaking.Unlock()
	if !slices.Contains(r.broken, what) { // a full disk says so at every write
		r.broken = append(r.broken, what)
	}
}

// Broken returns what went wrong outside the recordings so far.
func (r *Runner) Broken() []string {
	r.breaking.Lock()
	defer r.breaking.Unlock()
	return slices.Clone(r.broken)
}

// UserApp returns the app that the options name, after Prepare, or nil.
func (r *Runner) UserApp() *userapp.App { return r.app }

// Attached reports, after Prepare, whether the run is on an existing cluster.
func (r *Runner) Attached() bool { return r.attached != nil }

// There returns, after Prepare, the existing cluster of the run; nil: clusters are made.
func (r *Runner) There() *attached.Cluster { return r.attached }

// Layout returns where Rollcall runs from, after Prepare.
func (r *Runner) Layout() layout.Layout { return r.layout }

// ModeList returns the modes of the run, after Prepare.
func (r *Runner) ModeList() []string { return r.modes }

// Board returns the board with the run's progress, after Begin.
func (r *Runner) Board() *progress.Board { return r.board }

// Version returns the Kubernetes version of the run, after Prepare.
func (r *Runner) Version() string { return r.version }

// ProfileName returns the profile of the run, after Prepare.
func (r *Runner) ProfileName() harness.Profile { return r.profile }

// ModesAtOnce returns how many modes are recorded at a time, after Prepare.
func (r *Runner) ModesAtOnce() int { return r.atOnce }

// MostJobs returns how many recordings may run side by side, after Prepare.
func (r *Runner) MostJobs() int { return r.jobs }

// FirstJobs returns, after Prepare, how many recordings run side by side at first if one of them is under load: the --jobs option,
// or else half of what this machine may carry, until recordings show that it carries more.
func (r *Runner) FirstJobs() int {
	if r.Jobs != "" {
		return r.jobs
	}
	return max(1, r.jobs/2)
}
