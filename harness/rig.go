package harness

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/host"
	"rollcall/harness/nodeimage"
	"rollcall/harness/progress"
)

// Options say on what suites run. The zero value is every mode on the default Kubernetes version.
type Options struct {
	Modes      string // kube-proxy modes, separated by commas or spaces; empty: all
	Kubernetes string // version or minor; empty: nodeimage.Default
	Keep       bool   // keep the clusters, and reuse kept ones
	Out        string // run folder; empty: a new one below out/ in the module
	// AgentsPerNode is how many agents carry the lanes of each worker, 1 to 16; empty: 1
	AgentsPerNode string
}

// Register makes flags of the options. Defaults come from the environment variables that the
// Makefile takes: MODES, K8S, KEEP, AGENTS_PER_NODE.
func (o *Options) Register(flags *flag.FlagSet) {
	flags.StringVar(&o.Modes, "modes", os.Getenv("MODES"), "kube-proxy `modes`, separated by commas (default all: iptables,nftables,ipvs)")
	flags.StringVar(&o.Kubernetes, "k8s", os.Getenv("K8S"), "Kubernetes `version`, such as v1.36.x (default "+nodeimage.Default+")")
	flags.BoolVar(&o.Keep, "keep", os.Getenv("KEEP") == "1", "keep the clusters, and reuse kept ones")
	flags.StringVar(&o.AgentsPerNode, "agents-per-node", os.Getenv("AGENTS_PER_NODE"), "`number` of agents that share the load of each worker, 1 to 16 (default 1)")
	flags.StringVar(&o.Out, "out", "", "run `folder` to write evidence to (default a new one below out/)")
}

// configFile is the cluster's, in the module's folder.
const configFile = "kind-config.yaml"

// A Rig is what the scenarios of one test process run on.
type Rig struct {
	Options
	modes    []string
	version  string // Kubernetes'
	agents   int    // on each worker
	module   string // folder of the Rollcall module
	session  evidence.Session
	board    *progress.Board
	broken   []string      // what went wrong outside the recordings
	walking  chan struct{} // has room for the walks that may be under way
	breaking sync.Mutex    // guards it
}

// Main is the body of a suite's TestMain: it reads the flags, runs the tests and returns the exit
// code. Bad input ends it with 2 before anything is created.
func (r *Rig) Main(m *testing.M) int {
	r.Register(flag.CommandLine)
	flag.Parse()
	if err := r.Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return m.Run()
}

// Prepare checks the options. It creates nothing.
func (r *Rig) Prepare() (err error) {
	if r.modes, err = cluster.ParseModes(r.Modes); err != nil {
		return err
	}
	if r.version, err = nodeimage.Resolve(r.Kubernetes); err != nil {
		return err
	}
	if r.agents, err = parseAgents(r.AgentsPerNode); err != nil {
		return err
	}
	if r.module, err = moduleFolder(); err != nil {
		return err
	}
	if err := cluster.CheckConfig(r.spec("")); err != nil {
		return err
	}
	if r.Out != "" {
		r.Out, err = filepath.Abs(r.Out)
	}
	return err
}

// mostAgents bounds the agents on a worker, each of which asks the node for memory.
const mostAgents = 16

// parseAgents reads a number of agents; empty means 1.
func parseAgents(asked string) (int, error) {
	if asked == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 || n > mostAgents {
		return 0, host.Refuse("agents per node "+asked, "it is no number of agents", fmt.Sprintf("use 1 to %d", mostAgents))
	}
	return n, nil
}

// moduleFolder is the nearest folder with a go.mod, from the working directory upwards: tests run
// in their package's folder.
func moduleFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", host.Refuse("working directory", "it is not inside the Rollcall module", "run this from a clone of the repository")
		}
	}
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

// closeSession notes the end of a run that is ours alone, and what broke in it. It reads the file
// back, because a file that changed this moment keeps go test from answering the next run out of
// its cache.
func (r *Rig) closeSession(broken []string) error {
	file := filepath.Join(r.Out, "evidence", evidence.SessionFile)
	if err := evidence.ReadJSON(file, &r.session); err != nil {
		return err
	}
	r.session.Ended = time.Now().UTC()
	r.session.Broken = append(r.session.Broken, broken...)
	return errors.Join(evidence.WriteJSON(file, r.session), evidence.ReadJSON(file, &r.session))
}

// openSession makes the run folder, unless our parent did.
func (r *Rig) openSession(suite string) (err error) {
	if r.session.ID != "" {
		return nil
	}
	now := time.Now().UTC()
	if r.Out == "" {
		r.Out = filepath.Join(r.module, "out", now.Format("20060102-150405")+"-"+suite)
	}
	file := filepath.Join(r.Out, "evidence", evidence.SessionFile)
	if evidence.ReadJSON(file, &r.session) != nil {
		r.session = evidence.NewSession(filepath.Base(r.Out), now)
		if err := evidence.WriteJSON(file, r.session); err != nil {
			return err
		}
	}
	r.board, err = progress.Open(r.Out, r.session.ID, r.session.Began)
	return err
}

// Module is the folder of the Rollcall module, after Prepare.
func (r *Rig) Module() string { return r.module }

// ModeList is the modes asked for, after Prepare.
func (r *Rig) ModeList() []string { return r.modes }

// Agents is how many were asked for on each worker, after Prepare.
func (r *Rig) Agents() int { return r.agents }

// Version is the Kubernetes version asked for, after Prepare.
func (r *Rig) Version() string { return r.version }
