package run

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
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
)

// nodePort is the NodePort that kind-config.yaml maps to a port of this host.
const nodePort = 30080

// Admit checks that the plan can be done here, or on the target, and prints what it finds. It returns the plan with that, or an error of
// one line. session is the id of the run, and held says that it holds its preassigned namespaces already.
func (p Plan) Admit(ctx context.Context, out io.Writer, session string, held bool) (Plan, error) {
	if p.Target == nil {
		facts, err := p.checkHost(ctx)
		p.admitted = err == nil
		return p, cmp.Or(err, facts.Print(out))
	}
	if p.admitted {
		return p, nil
	}
	var err error
	p.images, err = p.preflight(out, session, held).Run(ctx)
	p.admitted = err == nil
	return p, err
}

func (p Plan) preflight(out io.Writer, session string, held bool) staging.Preflight {
	return staging.Preflight{Target: p.Options.Target, Cluster: p.Target, Namespaces: p.namespaces(), Layout: p.Layout,
		RPCs: p.Options.RPCs, Watches: p.Options.Watches, Session: session, Held: held, Out: out}
}

// namespaces returns a pool of those that recordings of the plan may use.
func (p Plan) namespaces() namespace.Pool {
	if p.Target == nil {
		return namespace.Pool{}
	}
	return namespace.NewPool(p.Options.Preassigned(), p.Target.Now)
}

// prepareTarget makes the target ready for scenarios, runs its trial unless nothing is to be rolled out there, and describes it in the run
// folder.
func (r *Run) prepareTarget(ctx context.Context, out io.Writer) (*evidence.Trial, error) {
	var err error
	if r.Plan, err = r.Admit(ctx, out, r.session.ID, r.hold != nil); err != nil {
		return nil, err
	}
	identity, err := r.Target.Describe(ctx)
	if err != nil {
		return nil, err
	}
	for _, use := range []string{harness.Autoscalers, harness.Quotas, harness.Slices, harness.AppObjects} {
		because := r.Target.Forbidden(use)
		identity.Features = append(identity.Features, evidence.Feature{Name: use, Supported: because == "", Because: because})
	}
	if !r.Options.Watches {
		if identity.Trial, err = r.runTrial(ctx, out, r.Target); err != nil {
			return nil, err
		}
	}
	return identity.Trial, r.describe(identity)
}

func (r *Run) describe(identity evidence.Cluster) error {
	return store.WriteJSON(evidence.ClusterPath(r.Folder, identity.Mode), identity)
}

func hostFeatures(kernel dataplane.Kernel) []evidence.Feature {
	var list []evidence.Feature
	for _, mode := range dataplane.Names() {
		supported, because := dataplane.Of(mode).Supported(kernel)
		list = append(list, evidence.Feature{Name: mode, Supported: supported, Because: because})
	}
	return list
}

// spec returns the specification of a mode's cluster, without its images; its logs are kept in a run folder.
func (p Plan) spec(mode, folder string) kind.Spec {
	config, builtIn := p.Layout.ClusterConfig()
	return kind.Spec{Name: "rollcall-" + mode, Mode: mode, Keep: p.Options.Keep, NodePort: nodePort, Config: config, BuiltIn: builtIn,
		Logs: filepath.Join(folder, "logs", mode)}
}

// checkHost returns an error if a cluster of the plan's modes cannot be created on this host.
func (p Plan) checkHost(ctx context.Context) (host.Facts, error) {
	facts, err := provision.Check(ctx)
	if err != nil {
		return facts, err
	}
	for _, mode := range p.Modes {
		if supported, _ := dataplane.Of(mode).Supported(facts.Kernel); !supported {
			continue
		}
		if err := kind.Check(ctx, p.spec(mode, "")); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// openKind builds or gets the images, and opens a cluster of a version.
func (r *Run) openKind(ctx context.Context, out io.Writer, spec kind.Spec, version string) (*kind.Cluster, error) {
	if err := kind.Sweep(ctx, out, false); err != nil {
		return nil, err
	}
	done := r.spend(evidence.Span{Part: evidence.ImagePart, Mode: spec.Mode})
	var err error
	if spec.Image, err = provision.NodeImage(ctx, out, version); err == nil {
		fmt.Fprintln(out, "building the images of the app, the agent and the observer")
		spec.Archives, err = r.Layout.Archives(ctx, layout.Images(true, r.Options.RPCs))
	}
	done()
	if err != nil {
		return nil, err
	}
	archives, err := archivesOf(ctx, slices.DeleteFunc(slices.Clone(r.Options.LoadImages), func(image string) bool {
		return slices.ContainsFunc(spec.Archives, func(built layout.Archive) bool { return built.Ref == image }) // the app has ours
	}))
	if err != nil {
		return nil, err
	}
	spec.Archives = append(spec.Archives, archives...)
	defer r.spend(evidence.Span{Part: evidence.ClusterPart, Mode: spec.Mode})()
	return kind.Open(ctx, out, spec)
}

// prepareCluster runs the trial of a cluster of ours that was opened, and describes it in the run folder.
func (r *Run) prepareCluster(ctx context.Context, out io.Writer, c cluster.Cluster) (*evidence.Trial, error) {
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
