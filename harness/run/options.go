package run

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
)

// Options say where and how to run. The zero value is every mode on the default Kubernetes version.
type Options struct {
	Modes          string // kube-proxy modes, separated by commas or spaces; empty: all
	Kubernetes     string // version or minor; empty: kube.Default
	Keep           bool   // keep the clusters, and reuse kept ones
	Profile        string // smoke, core or full; empty: core, or smoke with go test -short
	Jobs           string // most recordings side by side on one cluster; empty: found from this machine's cores and memory
	Rate           string // most requests per second and lane; empty: 25 for each core, at most 100
	staging.Target        // an existing cluster

	// What programs set; there are no flags for it.

	Watches    bool     // nothing is rolled out, so that fewer rights are needed on a cluster that is not ours
	FromHost   bool     // only this host is used, and no cluster; see [record.Config]
	LoadImages []string // images of this host's Docker to load onto the nodes of kind clusters
	RPCs       bool     // clients send RPCs, so that nodes need the images of agent and app that speak gRPC
}

// List returns the flags of the options.
func (o *Options) List() usage.List {
	return append(usage.List{
		{Flag: "modes", Topic: usage.Kind, Default: usage.Environment, Text: &o.Modes, Values: dataplane.Names(),
			Help: "kube-proxy `modes`, separated by commas (default all: " + strings.Join(dataplane.Names(), ",") + ")"},
		{Flag: "k8s", Topic: usage.Kind, Default: usage.Environment, Text: &o.Kubernetes, Values: kube.Releases(),
			Help: "Kubernetes `version`, such as v1.36.x (default " + kube.Default + ")"},
		{Flag: "keep", Topic: usage.Kind, Default: usage.Environment, Switch: &o.Keep,
			Help: "keep the clusters until rollcall clean, and reuse kept ones"},
		{Flag: "profile", Topic: usage.Scenarios, Default: usage.Environment, Text: &o.Profile, Values: harness.Profiles(),
			Help: "`profile` of scenarios, smoke, core or full (default core; smoke with go test -short)"},
		{Flag: "jobs", Topic: usage.Load, Default: usage.Environment, Text: &o.Jobs,
			Help: "most recordings side by side on one cluster, a `number` from 1 to 16 (default: by this machine's cores and memory)"},
		{Flag: "rate", Topic: usage.Load, Default: usage.Environment, Text: &o.Rate,
			Help: "most `requests` per second of each lane of a scenario that is written for 100, 6 to 1000; others get as large a share of theirs; a " +
				"lane is one client on one node, and a node with load has up to five (default 25 for each core, at most 100, shared by the recordings " +
				"under load)"},
	}, o.Target.List()...)
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
