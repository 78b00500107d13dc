package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/kind"
	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/nodeimage"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
)

// nodePort is the NodePort that kind-config.yaml maps to a port of this host.
const nodePort = 30080

// Ready checks that a run is possible here, or on the target, prints what it finds, and returns an error if not.
func (r *Runner) Ready(ctx context.Context, out io.Writer, session string) error {
	if r.attached != nil {
		return r.admit(ctx, out, session)
	}
	facts, err := r.checkHost(ctx, out)
	return cmp.Or(err, facts.Print(out))
}

// admit checks once whether a run is possible on the target, and returns an error of one line if not.
func (r *Runner) admit(ctx context.Context, out io.Writer, session string) (err error) {
	if r.admitted {
		return nil
	}
	r.images, err = r.preflight(out, session, r.attached).Run(ctx)
	r.admitted = err == nil
	return err
}

func (r *Runner) preflight(out io.Writer, session string, c cluster.Cluster) staging.Preflight {
	return staging.Preflight{Target: r.Target, Cluster: c, Attached: r.attached, Namespaces: r.namespaces, Layout: r.layout, App: r.app,
		AppFile: r.App, Watches: r.Watches, Session: session, Held: r.hold != nil, Out: out}
}

// prepareTarget makes the target ready for scenarios, runs its trial unless nothing is to be rolled out there, and describes it in the run
// folder.
func (r *Runner) prepareTarget(ctx context.Context, out io.Writer) (*evidence.Trial, error) {
	if err := r.admit(ctx, out, r.session.ID); err != nil {
		return nil, err
	}
	identity, err := r.attached.Describe(ctx)
	if err != nil {
		return nil, err
	}
	for _, use := range []string{harness.Autoscalers, harness.Quotas, harness.Slices, harness.AppObjects} {
		because := r.attached.Forbidden(use)
		identity.Features = append(identity.Features, evidence.Feature{Name: use, Supported: because == "", Because: because})
	}
	if !r.Watches {
		if identity.Trial, err = r.runTrial(ctx, out, r.attached); err != nil {
			return nil, err
		}
	}
	return identity.Trial, r.describe(identity)
}

func (r *Runner) describe(identity evidence.Cluster) error {
	return store.WriteJSON(evidence.ClusterPath(r.Out, identity.Mode), identity)
}

func hostFeatures(kernel dataplane.Kernel) []evidence.Feature {
	var list []evidence.Feature
	for _, mode := range dataplane.Names() {
		supported, because := dataplane.Of(mode).Supported(kernel)
		list = append(list, evidence.Feature{Name: mode, Supported: supported, Because: because})
	}
	return list
}

// spec returns the specification of a mode's cluster, without its images.
func (r *Runner) spec(mode string) kind.Spec {
	config, builtIn := r.layout.ClusterConfig()
	return kind.Spec{Name: "rollcall-" + mode, Mode: mode, Keep: r.Keep, NodePort: nodePort, Config: config, BuiltIn: builtIn,
		Logs: filepath.Join(r.Out, "logs", mode)}
}

// checkHost sets this host up to run clusters, and returns an error if a cluster of the runner's modes cannot be created.
func (r *Runner) checkHost(ctx context.Context, out io.Writer) (host.Facts, error) {
	if facts := host.Probe(ctx); facts.Check(false) != nil {
		return facts, facts.Check(false)
	}
	facts, err := host.Ensure(ctx, out)
	if err != nil {
		return facts, err
	}
	for _, mode := range r.modes {
		if supported, _ := dataplane.Of(mode).Supported(facts.Kernel); !supported {
			continue
		}
		if err := kind.Check(ctx, r.spec(mode)); err != nil {
			return facts, err
		}
	}
	r.admitted = true
	return facts, nil
}

// openKind builds or gets the images, and opens a cluster of a version.
func (r *Runner) openKind(ctx context.Context, out io.Writer, spec kind.Spec, version string) (*kind.Cluster, error) {
	if err := kind.Sweep(ctx, out, false); err != nil {
		return nil, err
	}
	done := r.spend(evidence.Span{Part: evidence.ImagePart, Mode: spec.Mode})
	var err error
	if spec.Image, err = nodeimage.Ensure(ctx, out, version); err == nil {
		fmt.Fprintln(out, "building the images of the app, the agent and the observer")
		spec.Archives, err = r.layout.Archives(ctx)
	}
	done()
	if err != nil {
		return nil, err
	}
	images := slices.Clone(r.Load)
	if r.app != nil {
		images = append(images, r.app.Images()...)
	}
	archives, err := archivesOf(ctx, slices.DeleteFunc(images, func(image string) bool { // that the app may share with Rollcall
		return slices.ContainsFunc(spec.Archives, func(built layout.Archive) bool { return built.Ref == image })
	}))
	if err != nil {
		return nil, err
	}
	spec.Archives = append(spec.Archives, archives...)
	defer r.spend(evidence.Span{Part: evidence.ClusterPart, Mode: spec.Mode})()
	return kind.Open(ctx, out, spec)
}

// prepareCluster tries the user's app on a cluster of ours that was opened, runs its trial, and describes it in the run folder.
func (r *Runner) prepareCluster(ctx context.Context, out io.Writer, c cluster.Cluster) (*evidence.Trial, error) {
	if err := r.preflight(out, r.session.ID, c).TryApp(ctx); err != nil {
		return nil, err
	}
	identity, err := c.Describe(ctx)
	if err != nil {
		return nil, err
	}
	identity.Features = hostFeatures(host.Kernel(ctx))
	if identity.Trial, err = r.runTrial(ctx, out, c); err != nil {
		return nil, err
	}
	return identity.Trial, r.describe(identity)
}

// archivesOf exports images from this host's Docker, which pulls those that it does not have.
func archivesOf(ctx context.Context, images []string) ([]layout.Archive, error) {
	var list []layout.Archive
	for _, image := range images {
		if _, err := command.Run(ctx, "docker image inspect %s", image); err != nil {
			if _, err := command.Run(ctx, "docker pull %s", image); err != nil {
				return nil, usage.New("image "+image, usage.OneLine(err),
					"build or pull it: docker has to have it, for kind's nodes to be given it")
			}
		}
		file, err := os.CreateTemp("", "rollcall-image-")
		if err != nil {
			return nil, err
		}
		file.Close()
		_, err = command.Run(ctx, "docker save --output %s %s", file.Name(), image)
		var data []byte
		if err == nil {
			data, err = os.ReadFile(file.Name())
		}
		if err = errors.Join(err, os.Remove(file.Name())); err != nil {
			return nil, fmt.Errorf("get image %s: %w", image, err)
		}
		list = append(list, layout.Archive{Ref: image, Data: data})
	}
	return list, nil
}
