package run

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/cluster/kind"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/usage"
)

// A Plan is what a run will do. Making one creates nothing, and nothing changes it.
type Plan struct {
	Options Options

	Target      *attached.Cluster // the existing cluster that is named; nil: clusters are made
	Layout      layout.Layout     // where Rollcall runs from
	Modes       []string          // in their order
	ModesAtOnce int
	Kubernetes  string // version of clusters that are made
	Profile     harness.Profile
	Jobs        int // most recordings side by side on a cluster
	Rate        int // at first, in requests per second and lane of a scenario that is written for harness.FullRate

	Scenarios []Planned // of suites, in all modes
	learnt    bool      // their durations are of the last run, not estimates

	images   fixtures.ImageSources // of pods on the target
	admitted bool                  // the target passed the preflight, or this host its check
}

// NewPlan checks the options, and connects to the cluster that they name. The error is a [usage.Error] if an option is wrong.
func NewPlan(o Options) (p Plan, err error) {
	p.Options = o
	if err := o.CheckNamed(); err != nil {
		return p, err
	}
	if p.Modes, err = dataplane.Parse(o.Modes); err != nil {
		return p, err
	}
	if o.Named() {
		if err := p.connect(); err != nil {
			return p, err
		}
	}
	if p.Kubernetes, err = provision.Version(o.Kubernetes); err != nil {
		return p, err
	}
	if p.Profile, err = parseProfile(o.Profile); err != nil {
		return p, err
	}
	if p.Profile == harness.Smoke {
		p.Modes = p.Modes[:1]
	}
	p.ModesAtOnce = modesAtOnce(len(p.Modes))
	if p.Jobs, err = parseCount("jobs", o.Jobs, foundJobs(p.ModesAtOnce, p.Target != nil), 1, mostJobs); err != nil {
		return p, err
	}
	if p.Rate, err = parseCount("rate", o.Rate, firstRate(p.Jobs, runtime.NumCPU()), lowestRate, mostRate); err != nil {
		return p, err
	}
	if p.Layout, err = layout.Find(); err != nil {
		return p, err
	}
	switch {
	case o.FromHost:
		p.Modes = []string{evidence.NoCluster}
	case p.Target == nil:
		return p, p.checkClusters()
	}
	return p, nil
}

// connect connects to the target, which is then the only cluster of the plan, and its mode the only mode.
func (p *Plan) connect() (err error) {
	for _, given := range p.Options.List().Only("k8s", "keep") {
		if said := given.Given(); said != "" {
			return usage.New(said, "it is about clusters that are made, and one that is there is named", "leave it out")
		}
	}
	for _, name := range p.Options.Preassigned() {
		if of := namespace.Observers(name); strings.Contains(p.Options.Allow, harness.NodeRules) && len(of) > validation.DNS1123LabelMaxLength {
			return usage.New("--namespace="+name, fmt.Sprintf("the observers' namespace %s would have %d characters, more than %d", of, len(of),
				validation.DNS1123LabelMaxLength), "name a shorter one")
		}
	}
	mode := ""
	if p.Options.Modes != "" {
		if len(p.Modes) > 1 {
			return usage.New("--modes="+p.Options.Modes, "an existing cluster has one", "leave --modes out: it is found")
		}
		mode = p.Modes[0]
	}
	if p.Target, err = p.Options.Connect(context.Background(), mode); err != nil {
		return err
	}
	p.Modes = []string{p.Target.Mode()}
	return nil
}

// checkClusters returns an error if clusters cannot be made here.
func (p Plan) checkClusters() error {
	if runtime.GOOS != "linux" {
		return usage.New("clusters", "they are made on Linux alone",
			"choose one that exists: --context=NAME; kubectl config get-contexts shows them")
	}
	if !p.Layout.MakesClusters() {
		return usage.New("clusters", "the images of their pods are not here", "choose a cluster that exists: --context=NAME, or "+
			attached.InCluster+"; or run this from a clone, or use a release")
	}
	return kind.CheckConfig(p.spec("", ""))
}

// FirstJobs returns how many recordings run side by side at first if one of them is under load: the --jobs option, or else half of what
// this machine may carry, until recordings show that it carries more.
func (p Plan) FirstJobs() int {
	if p.Options.Jobs != "" {
		return p.Jobs
	}
	return max(1, p.Jobs/2)
}

// options returns the options that make the same plan again, with the values that were chosen.
func (p Plan) options() Options {
	o := p.Options
	o.Kubernetes, o.Profile = p.Kubernetes, string(p.Profile)
	// The mode of an existing cluster may be none of kube-proxy's.
	modes := slices.DeleteFunc(slices.Clone(p.Modes), func(mode string) bool { return !slices.Contains(dataplane.Names(), mode) })
	o.Modes = strings.Join(modes, ",")
	return o
}
