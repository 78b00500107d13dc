package runner

import (
	"flag"
	"fmt"
	"os"
	"strconv"

	"rollcall/harness/nodeimage"
	"rollcall/harness/staging"
	"rollcall/harness/usage"
)

// Options say on what suites run. The zero value is every mode on the default Kubernetes version.
type Options struct {
	Modes      string // kube-proxy modes, separated by commas or spaces; empty: all
	Kubernetes string // version or minor; empty: nodeimage.Default
	Keep       bool   // keep the clusters, and reuse kept ones
	Out        string // run folder; empty: a new one below out/ in the module
	// AgentsPerNode is how many agents share the lanes of each worker, 1 to 16; empty: 1
	AgentsPerNode  string
	Profile        string // smoke, core or full; empty: core, or smoke with go test -short
	Jobs           string // most recordings side by side on one cluster; empty: found from what the machine has
	Rate           string // most requests per second and lane; empty: 100, and less where this machine does not carry them
	staging.Target        // a cluster that is there already
	App            string // file about an app that is not Rollcall's, for the suite own; empty: there is none
}

// Register makes flags of the options. Defaults come from the environment variables that the
// Makefile takes, such as MODES and PROFILE.
func (o *Options) Register(flags *flag.FlagSet) {
	flags.StringVar(&o.Modes, "modes", os.Getenv("MODES"), "kube-proxy `modes`, separated by commas (default all: iptables,nftables,ipvs)")
	flags.StringVar(&o.Kubernetes, "k8s", os.Getenv("K8S"), "Kubernetes `version`, such as v1.36.x (default "+nodeimage.Default+")")
	flags.BoolVar(&o.Keep, "keep", os.Getenv("KEEP") == "1", "keep the clusters, and reuse kept ones")
	flags.StringVar(&o.AgentsPerNode, "agents-per-node", os.Getenv("AGENTS_PER_NODE"),
		"`number` of agents that share the load of each worker, 1 to 16 (default 1)")
	flags.StringVar(&o.Profile, "profile", os.Getenv("PROFILE"),
		"`profile` of scenarios, smoke, core or full (default core; smoke with go test -short)")
	flags.StringVar(&o.Jobs, "jobs", os.Getenv("JOBS"),
		"most recordings side by side on one cluster, 1 to 16 (default: found from this machine's cores and memory)")
	flags.StringVar(&o.Rate, "rate", os.Getenv("RATE"),
		"most requests per second and `lane`, 6 to 1000 (default 100, shared by the recordings under load, less on a busy machine)")
	o.Target.Register(flags)
	flags.StringVar(&o.App, "app", "", "`file` about an app of yours, which the suite own rolls out")
	flags.StringVar(&o.Out, "out", "", "run `folder` to write evidence to (default a new one below out/)")
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
