package harness

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/lock"
	"rollcall/harness/nodeimage"
	"rollcall/harness/progress"
	"rollcall/harness/usage"
	"rollcall/harness/userapp"
)

// Options say on what suites run. The zero value is every mode on the default Kubernetes version.
type Options struct {
	Modes      string // kube-proxy modes, separated by commas or spaces; empty: all
	Kubernetes string // version or minor; empty: nodeimage.Default
	Keep       bool   // keep the clusters, and reuse kept ones
	Out        string // run folder; empty: a new one below out/ in the module
	// AgentsPerNode is how many agents carry the lanes of each worker, 1 to 16; empty: 1
	AgentsPerNode string
	Profile       string // smoke, core or full; empty: core, or smoke with go test -short
	Jobs          string // most recordings side by side on one cluster; empty: found from what the machine has
	Rate          string // most requests per second and lane; empty: 100, and less where this machine does not carry them
	Target               // a cluster that is there already
	App           string // file about an app that is not Rollcall's, for the suite own; empty: there is none
}

// Register makes flags of the options. Defaults come from the environment variables that the
// Makefile takes, such as MODES and PROFILE.
func (o *Options) Register(flags *flag.FlagSet) {
	flags.StringVar(&o.Modes, "modes", os.Getenv("MODES"), "kube-proxy `modes`, separated by commas (default all: iptables,nftables,ipvs)")
	flags.StringVar(&o.Kubernetes, "k8s", os.Getenv("K8S"), "Kubernetes `version`, such as v1.36.x (default "+nodeimage.Default+")")
	flags.BoolVar(&o.Keep, "keep", os.Getenv("KEEP") == "1", "keep the clusters, and reuse kept ones")
	flags.StringVar(&o.AgentsPerNode, "agents-per-node", os.Getenv("AGENTS_PER_NODE"), "`number` of agents that share the load of each worker, 1 to 16 (default 1)")
	flags.StringVar(&o.Profile, "profile", os.Getenv("PROFILE"), "`profile` of scenarios, smoke, core or full (default core; smoke with go test -short)")
	flags.StringVar(&o.Jobs, "jobs", os.Getenv("JOBS"), "most recordings side by side on one cluster, 1 to 16 (default: found from this machine's cores and memory)")
	flags.StringVar(&o.Rate, "rate", os.Getenv("RATE"), "most requests per second and `lane`, 6 to 1000 (default 100, shared by the recordings under load, less on a busy machine)")
	o.Target.Register(flags)
	flags.StringVar(&o.App, "app", "", "`file` about an app of yours, which the suite own rolls out")
	flags.StringVar(&o.Out, "out", "", "run `folder` to write evidence to (default a new one below out/)")
}

// configFile is the cluster's, in the module's folder.
const configFile = "kind-config.yaml"

// A Rig is what the scenarios of one test process run on.
type Rig struct {
	Options
	modes   []string
	version string // Kubernetes'
	agents  int    // on each worker
	home    Home
	session evidence.Session

	profile Profile
	atOnce  int // modes
	jobs    int // at first
	rate    int // at first

	began    bool // the session is our own, and not our parent's
	board    *progress.Board
	own      *userapp.App     // of the options; nil: none
	attached *cluster.Cluster // the target; nil: clusters are made
	spaces   spaces
	costs    map[string]string // what scenarios may use and we may not, with the reason
	life     *lock.Lock        // of a run on a target
	broken   []string          // what went wrong outside the recordings
	turns    *turns            // at the cluster of the mode under way
	trial    *evidence.Trial   // of it; nil: there was none
	leaving  sync.WaitGroup    // of recordings that are judged, whose namespaces are being emptied
	breaking sync.Mutex        // guards broken
}

// Main is the body of a suite's TestMain: it reads the flags, runs the tests and returns the exit
// code. Bad input ends it with 2 before anything is created.
func (r *Rig) Main(m *testing.M) int {
	r.Register(flag.CommandLine)
	flag.Parse()
	err := r.CheckNamed()
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
func (r *Rig) Prepare() (err error) {
	if r.modes, err = cluster.ParseModes(r.Modes); err != nil {
		return err
	}
	if r.App != "" {
		if r.own, err = userapp.Read(r.App); err != nil {
			return usage.New("app", err.Error(), "see the README, under An app of your own")
		}
		if r.App, err = filepath.Abs(r.App); err != nil {
			return err
		}
	}
	if r.named() {
		if err := r.connect(); err != nil {
			return err
		}
	}
	if r.version, err = nodeimage.Resolve(r.Kubernetes); err != nil {
		return err
	}
	if r.agents, err = parseCount("agents per node", r.AgentsPerNode, 1, 1, mostAgents); err != nil {
		return err
	}
	if r.profile, err = parseProfile(r.Profile); err != nil {
		return err
	}
	if r.profile == Smoke {
		r.modes = r.modes[:1]
	}
	r.atOnce = modesAtOnce(len(r.modes))
	if r.jobs, err = parseCount("jobs", r.Jobs, foundJobs(r.atOnce, r.attached != nil), 1, mostJobs); err != nil {
		return err
	}
	if r.rate, err = parseCount("rate", r.Rate, firstRate(r.jobs, runtime.NumCPU()), rateSteps[len(rateSteps)-1], 1000); err != nil {
		return err
	}
	if r.home, err = findHome(); err != nil {
		return err
	}
	if r.attached == nil {
		if _, err := os.Stat(r.home.Images()); r.home.Compiled && err != nil {
			return usage.New("clusters", "these programs make none", "name one that is there: -context="+cluster.InCluster)
		}
		if err := cluster.CheckConfig(r.spec("")); err != nil {
			return err
		}
	}
	if r.Out != "" {
		r.Out, err = filepath.Abs(r.Out)
	}
	return err
}

// connect makes the target the one cluster of the rig, and its mode the one mode.
func (r *Rig) connect() (err error) {
	word := ""
	if r.Modes != "" {
		if len(r.modes) > 1 {
			return usage.New("modes "+r.Modes, "a cluster that is there has one", "leave -modes out: it is found")
		}
		word = r.modes[0]
	}
	if r.attached, err = r.Target.connect(context.Background(), word); err != nil {
		return err
	}
	r.modes, r.spaces = []string{r.attached.Mode}, newSpaces(words(r.Namespaces))
	return nil
}

// mostAgents bounds the agents on a worker, each of which asks the node for memory.
const mostAgents = 16

// parseCount reads a number from least to most; empty means usual.
func parseCount(name, asked string, usual, least, most int) (int, error) {
	if asked == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < least || n > most {
		return 0, usage.New(name+" "+asked, "it is no such number", fmt.Sprintf("use %d to %d", least, most))
	}
	return n, nil
}

// deadlineReserve is kept of `go test -timeout`, so that clusters are removed before it panics.
const deadlineReserve = time.Minute

// context is done at Ctrl-C, at SIGTERM and shortly before the test binary's own deadline.
func (r *Rig) context(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	deadline, ok := t.Deadline()
	if !ok {
		return ctx, stop
	}
	ctx, cancel := context.WithDeadlineCause(ctx, deadline.Add(-deadlineReserve), errors.New("the test's -timeout is near"))
	return ctx, func() { cancel(); stop() }
}

// Own is the app that the options name, after Prepare; nil if they name none.
func (r *Rig) Own() *userapp.App { return r.own }

// Attached reports whether the rig is a cluster that somebody else owns, after Prepare.
func (r *Rig) Attached() bool { return r.attached != nil }

// Home is where Rollcall runs from, after Prepare.
func (r *Rig) Home() Home { return r.home }

// ModeList is the modes asked for, after Prepare.
func (r *Rig) ModeList() []string { return r.modes }

// Agents is how many were asked for on each worker, after Prepare.
func (r *Rig) Agents() int { return r.agents }

// Version is the Kubernetes version asked for, after Prepare.
func (r *Rig) Version() string { return r.version }

// ProfileName is the profile that is run, after Prepare.
func (r *Rig) ProfileName() Profile { return r.profile }

// ModesAtOnce is on how many clusters recordings go on at a time, after Prepare.
func (r *Rig) ModesAtOnce() int { return r.atOnce }

// FirstJobs is how many recordings go on side by side at first, after Prepare.
func (r *Rig) FirstJobs() int { return r.jobs }

// FirstRate is how many requests per second and lane recordings are made with at first, after Prepare.
func (r *Rig) FirstRate() int { return r.rate }
