package staging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
)

// A Preflight checks a cluster before a run.
type Preflight struct {
	Target
	Cluster    *attached.Cluster
	Namespaces namespace.Pool
	Layout     layout.Layout
	RPCs       bool   // clients send RPCs
	Watches    bool   // nothing is rolled out, which needs fewer rights
	Session    string // id
	Held       bool   // the run holds the preassigned namespaces already
	Out        io.Writer
}

// Run checks whether a run is possible, and returns where its images are; none for a dry run. If it is not, it returns a usage error of one
// line. The cluster is told which rights we do not have.
func (p Preflight) Run(ctx context.Context) (images fixtures.ImageSources, err error) {
	p.Cluster.PrintSummary(p.Out)
	if err := p.checkRights(ctx); err != nil || p.DryRun {
		return images, err
	}
	held, err := AcquireRunLock(p.Cluster.REST().Host, p.Preassigned(), p.Session)
	if err == nil {
		defer func() { err = errors.Join(err, releaseRunLock(held, err)) }()
	} else if !errors.Is(err, sharedfile.ErrHeld) { // ErrHeld: this run holds the lock already
		return images, err
	}
	if !p.Held {
		hold, err := p.Hold(ctx, p.Cluster, p.Session, p.Out, nil)
		if err != nil {
			return images, err
		}
		defer func() { err = errors.Join(err, hold.Release(ctx)) }()
	}
	return p.try(ctx)
}

// releaseRunLock releases the lock. After an error other than bad input the next run finds this one among the stale runs.
func releaseRunLock(held *sharedfile.Lock, err error) error {
	if err != nil && !usage.Is(err) {
		return held.Abort()
	}
	return held.Release()
}

// try does what a run does: sweep, publish the images, and run trial pods.
func (p Preflight) try(ctx context.Context) (images fixtures.ImageSources, err error) {
	if err := withDeadRuns(p.Cluster.REST().Host, p.Preassigned(), func(dead map[string]bool) error {
		return p.sweep(p.Cluster, p.Out, dead).Run(ctx)
	}); err != nil {
		return images, err
	}
	if images, err = p.publishImages(ctx); err != nil {
		return images, err
	}
	fmt.Fprintln(p.Out, "trying the images on every node that is to carry load")
	return images, p.runTrialPods(ctx, images)
}

// checkRights returns an error if we do not have a right that every scenario needs. Without other rights, scenarios that use a feature are
// skipped.
func (p Preflight) checkRights(ctx context.Context) error {
	preassigned := p.Preassigned()
	of := Rights
	if p.Watches {
		of = RightsToWatch
	}
	rights := of(len(preassigned) == 0, p.allows(harness.NodeRules))
	drain, err := p.drainable()
	if err != nil {
		return err
	}
	if len(drain) > 0 && !p.Watches {
		rights = append(rights, rightsToDrain(drain)...)
	}
	missing, err := findMissing(ctx, p.Cluster.Client(), rights, preassigned)
	if err != nil {
		return usage.New("context "+p.Cluster.Name(), err.Error(), "see that kubectl auth can-i --list works")
	}
	reasons := reasonsToSkip(missing)
	if because, all := reasons[""]; all {
		remedy := "bind the roles of fixtures/staging to this user"
		if slices.ContainsFunc(missing, func(m Missing) bool { return m.Resource == "namespaces" }) {
			remedy += ", or name namespaces that were made for you: --namespace=NAME"
		}
		return usage.New("context "+p.Cluster.Name(), because, remedy)
	}
	for use, because := range reasons {
		fmt.Fprintf(p.Out, "  rights                %s: scenarios that use %s are skipped\n", because, use)
	}
	p.Cluster.Forbid(reasons)
	return nil
}

// publishImages builds and pushes the images to the registry of the options, or uses images that are there already.
func (p Preflight) publishImages(ctx context.Context) (s fixtures.ImageSources, err error) {
	if p.PullSecret != "" {
		s.PullSecret = namespace.PullSecretName
	}
	if s.Refs, err = p.refs(p.RPCs); s.Refs != nil || err != nil {
		return s, err
	}
	if p.ImageRepo == "" {
		return s, nil // the nodes have the images already
	}
	if !p.Layout.MakesImages() {
		return s, usage.New("--image-repo="+p.ImageRepo, "the sources to build images from are not here",
			"push them from a clone, and name them: --images")
	}
	fmt.Fprintln(p.Out, "building the images of the app, the agent and the observer")
	others, err := p.otherArchitectures(ctx)
	if err != nil {
		return s, err
	}
	wanted := layout.Images(p.Cluster.CannotObserve() == "", p.RPCs)
	images, err := p.Layout.BuildImages(ctx, wanted, others...)
	if err != nil {
		return s, err
	}
	registry := layout.Registry{Repo: p.ImageRepo, CAFile: p.RegistryCA}
	if s.Refs, err = images.Push(ctx, p.Out, registry, wanted); err != nil {
		return s, usage.New("--image-repo="+p.ImageRepo, strings.ReplaceAll(err.Error(), "\n", " "),
			"log in to it with docker login or podman login, or name images that are there: --images")
	}
	return s, nil
}

// otherArchitectures returns the nodes' architectures that differ from this machine's.
func (p Preflight) otherArchitectures(ctx context.Context) (others []string, err error) {
	nodes, err := p.Cluster.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, node := range nodes.Items {
		if arch := node.Status.NodeInfo.Architecture; arch != "" && arch != runtime.GOARCH && !slices.Contains(others, arch) {
			others = append(others, arch)
		}
	}
	return others, nil
}
