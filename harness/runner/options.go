package runner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/nodeimage"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
)

// Options say where and how suites run. The zero value is every mode on the default Kubernetes version.
type Options struct {
	Modes          string // kube-proxy modes, separated by commas or spaces; empty: all
	Kubernetes     string // version or minor; empty: nodeimage.Default
	Keep           bool   // keep the clusters, and reuse kept ones
	Profile        string // smoke, core or full; empty: core, or smoke with go test -short
	Jobs           string // most recordings side by side on one cluster; empty: found from this machine's cores and memory
	Rate           string // most requests per second and lane; empty: 25 for each core, at most 100
	staging.Target        // an existing cluster
	App            string // file that describes a user's app, for the suite own; empty: there is none
}

// List returns the flags of all options.
func (o *Options) List() usage.List {
	return append(usage.List{
		{Flag: "modes", Topic: usage.Kind, Default: usage.Environment, Text: &o.Modes, Values: dataplane.Names(),
			Help: "kube-proxy `modes`, separated by commas (default all: iptables,nftables,ipvs)"},
		{Flag: "k8s", Topic: usage.Kind, Default: usage.Environment, Text: &o.Kubernetes, Values: nodeimage.Releases(),
			Help: "Kubernetes `version`, such as v1.36.x (default " + nodeimage.Default + ")"},
		{Flag: "keep", Topic: usage.Kind, Default: usage.Environment, Switch: &o.Keep,
			Help: "keep the clusters until rollcall clean, and reuse kept ones"},
		{Flag: "profile", Topic: usage.Scenarios, Default: usage.Environment, Text: &o.Profile, Values: harness.Profiles(),
			Help: "`profile` of scenarios, smoke, core or full (default core; smoke with go test -short)"},
		{Flag: "jobs", Topic: usage.Load, Default: usage.Environment, Text: &o.Jobs,
			Help: "most recordings side by side on one cluster, a `number` from 1 to 16 (default: by this machine's cores and memory)"},
		{Flag: "rate", Topic: usage.Load, Default: usage.Environment, Text: &o.Rate,
			Help: "most `requests` per second of each lane, 6 to 1000; a lane is one client on one node, and a node with load has up to five " +
				"(default 25 for each core, at most 100, shared by the recordings under load)"},
		{Flag: "app", Topic: usage.Scenarios, Default: usage.Make, Text: &o.App,
			Help: "`file` about an app of yours, for the suite own to roll out"},
	}, o.Target.List()...)
}

// Prepared returns the options with the values that Prepare chose.
func (r *Runner) Prepared() Options {
	o := r.Options
	o.Kubernetes, o.Profile = r.version, string(r.profile)
	// The mode of an attached cluster may be none of kube-proxy's.
	modes := slices.DeleteFunc(slices.Clone(r.modes), func(mode string) bool { return !slices.Contains(dataplane.Names(), mode) })
	o.Modes = strings.Join(modes, ",")
	return o
}

// parseCount parses a number from least to most; empty means usual.
func parseCount(name, asked string, usual, least, most int) (int, error) {
	if asked == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < least || n > most {
		return 0, usage.New(fmt.Sprintf("--%s=%s", name, asked), "it is not a whole number in the allowed range",
			fmt.Sprintf("use %d to %d", least, most))
	}
	return n, nil
}
