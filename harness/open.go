package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/command"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/host"
	"rollcall/harness/nodeimage"
	"rollcall/harness/usage"
	"rollcall/harness/userapp"
)

// open gives the cluster for a mode, or says why this host cannot have one. What the cluster is
// stands in the run folder either way.
func (r *Rig) open(ctx context.Context, out io.Writer, mode string) (c *cluster.Cluster, skip string, err error) {
	r.trial = nil
	if r.attached != nil {
		if err := r.take(ctx, out); err != nil {
			return nil, "", err
		}
		r.turns, err = newTurns(mode, r.Out, r.attached.OneWayIn())
		return r.attached, "", err
	}
	facts := host.Probe(ctx)
	identity := evidence.Cluster{Name: r.spec(mode).Name, Mode: mode, Provider: "kind", Kubernetes: r.version, Kernel: facts.Kernel, Features: hostFeatures(facts)}
	if supported, because := facts.SupportsMode(mode); !supported {
		return nil, because, r.describe(identity)
	}
	if cluster.Lent(identity.Name) {
		c, err = cluster.Open(ctx, out, r.spec(mode))
	} else if _, err = r.Check(ctx, out); err == nil {
		c, err = r.OpenCluster(ctx, out, mode)
	}
	if err != nil {
		return nil, "", err
	}
	if err := store.ReadJSON(r.clusterFile(mode), &identity); err != nil {
		return nil, "", errors.Join(err, c.Close())
	}
	c.Kubernetes, r.trial = identity.Kubernetes, identity.Trial
	r.turns, err = newTurns(mode, r.Out, c.OneWayIn())
	return c, "", err
}

// take makes the target ready for scenarios and describes it in the run folder.
func (r *Rig) take(ctx context.Context, out io.Writer) error {
	if _, err := r.Admit(ctx, out, r.session.ID); err != nil {
		return err
	}
	identity := evidence.Cluster{Name: r.attached.Name, Mode: r.attached.Mode, Provider: "attached", Features: r.attached.Features()}
	for _, use := range []string{Autoscalers, Quotas, OwnObjects} {
		identity.Features = append(identity.Features, evidence.Feature{Name: use, Supported: r.costs[use] == "", Because: r.costs[use]})
	}
	if err := r.attached.Describe(ctx, &identity); err != nil {
		return err
	}
	return r.describe(identity)
}

func (r *Rig) describe(identity evidence.Cluster) error {
	return store.WriteJSON(r.clusterFile(identity.Mode), identity)
}

func (r *Rig) clusterFile(mode string) string {
	return evidence.ClusterPath(r.Out, mode)
}

func hostFeatures(facts host.Facts) []evidence.Feature {
	var list []evidence.Feature
	for _, mode := range cluster.Modes {
		supported, because := facts.SupportsMode(mode)
		list = append(list, evidence.Feature{Name: mode, Supported: supported, Because: because})
	}
	return list
}

// spec is the cluster of a mode, but for its images.
func (r *Rig) spec(mode string) cluster.Spec {
	return cluster.Spec{Name: "rollcall-" + mode, Mode: mode, Keep: r.Keep, NodePort: nodePort,
		Config: filepath.Join(r.home.Folder, configFile), ProbeImage: fixtures.ImageRef("echo", appVersions[0]),
		Logs: filepath.Join(r.Out, "logs", mode)}
}

// Check makes this host able to run clusters and refuses whatever would keep those of the rig's
// modes from being created.
func (r *Rig) Check(ctx context.Context, out io.Writer) (host.Facts, error) {
	if facts := host.Probe(ctx); facts.Check(false) != nil {
		return facts, facts.Check(false)
	}
	facts, err := host.Ensure(ctx, out)
	if err != nil {
		return facts, err
	}
	for _, mode := range r.modes {
		if supported, _ := facts.SupportsMode(mode); !supported {
			continue
		}
		if err := cluster.Check(ctx, r.spec(mode)); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// OpenCluster gets the images, opens the cluster for a mode, after Check, tries it out and puts into the run folder what it is.
func (r *Rig) OpenCluster(ctx context.Context, out io.Writer, mode string) (*cluster.Cluster, error) {
	spec := r.spec(mode)
	if err := cluster.Sweep(ctx, out, false); err != nil {
		return nil, err
	}
	done := r.spend(evidence.Span{Part: evidence.ImagePart, Mode: mode})
	var err error
	if spec.Image, err = nodeimage.Ensure(ctx, out, r.version); err == nil {
		fmt.Fprintln(out, "building the images of the app, the agent and the observer")
		spec.Archives, err = r.home.archives(ctx)
	}
	done()
	if err != nil {
		return nil, err
	}
	owned, err := ownArchives(ctx, r.own)
	if err != nil {
		return nil, err
	}
	spec.Archives = append(spec.Archives, owned...)
	defer r.spend(evidence.Span{Part: evidence.ClusterPart, Mode: mode})()
	c, err := cluster.Open(ctx, out, spec)
	if err != nil {
		return nil, err
	}
	if err := r.settleIn(ctx, out, c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// settleIn makes a cluster that was opened ready for recordings, and describes it in the run folder.
func (r *Rig) settleIn(ctx context.Context, out io.Writer, c *cluster.Cluster) error {
	if err := sweep(ctx, out, c); err != nil {
		return err
	}
	if err := nodePortFree(ctx, c); err != nil {
		return err
	}
	if err := r.tryOwn(ctx, out, c, r.session.ID); err != nil {
		return err
	}
	facts := host.Probe(ctx)
	identity := evidence.Cluster{Name: c.Name, Mode: c.Mode, Provider: "kind", Kernel: facts.Kernel, Features: hostFeatures(facts), Outside: c.WayIn()}
	if err := c.Describe(ctx, &identity); err != nil {
		return err
	}
	var err error
	if identity.Trial, err = r.tryOut(ctx, out, c); err != nil {
		return err
	}
	return r.describe(identity)
}

// sweep removes what killed runs left in a cluster that was kept. Nobody else uses it: we hold it.
func sweep(ctx context.Context, out io.Writer, c *cluster.Cluster) error {
	left, err := c.Client.CoreV1().Namespaces().List(ctx, fixtures.Ours())
	if err != nil {
		return err
	}
	for _, n := range left.Items {
		fmt.Fprintf(out, "cluster %s: removing namespace %s, which a run left behind\n", c.Name, n.Name)
		if err := empty(ctx, c.Client, n.Name); err != nil {
			return err
		}
	}
	return vacated(ctx, c.Client, fixtures.Ours())
}

// nodePortFree refuses a cluster, a kept one say, in which another Service has our NodePort.
func nodePortFree(ctx context.Context, c *cluster.Cluster) error {
	if !c.OneWayIn() {
		return nil // any other will do
	}
	services, err := c.Client.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range services.Items {
		for _, port := range s.Spec.Ports {
			if port.NodePort == nodePort {
				return usage.New(fmt.Sprintf("NodePort %d", nodePort), "Service "+s.Namespace+"/"+s.Name+" has it", "delete that Service")
			}
		}
	}
	return nil
}

// appVersions are the versions of the echo app that suites use.
var appVersions = []string{"v1", "v2"}

// archives are the images of the suites' pods, built from their sources if those are here.
func (h Home) archives(ctx context.Context) (list []cluster.Archive, err error) {
	var images *fixtures.Images
	if !h.Compiled {
		if images, err = fixtures.Build(ctx, h.Folder); err != nil {
			return nil, err
		}
	}
	for _, name := range imageNames(true) {
		archive := cluster.Archive{Ref: fixtures.ImageRef(name[0], name[1])}
		if h.Compiled {
			archive.Data, err = os.ReadFile(filepath.Join(h.Images(), archiveFile(name)))
		} else {
			archive.Data, err = images.Archive(name[0], name[1])
		}
		if err != nil {
			return nil, err
		}
		list = append(list, archive)
	}
	return list, nil
}

// SaveImages saves the images of the suites' pods into a folder, for a Home without their sources.
func (h Home) SaveImages(ctx context.Context, dir string) error {
	list, err := h.archives(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, name := range imageNames(true) {
		if err := os.WriteFile(filepath.Join(dir, archiveFile(name)), list[i].Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func archiveFile(name [2]string) string { return name[0] + "-" + name[1] + ".tar" }

// ownArchives are the images of an app of somebody else's, from this host's engine.
func ownArchives(ctx context.Context, app *userapp.App) ([]cluster.Archive, error) {
	if app == nil {
		return nil, nil
	}
	var list []cluster.Archive
	for _, image := range app.Images() {
		if _, err := command.Run(ctx, "docker image inspect %s", image); err != nil {
			if _, err := command.Run(ctx, "docker pull %s", image); err != nil {
				return nil, usage.New("image "+image, oneLine(err), "build or pull it: docker has to have it, for kind's nodes to be given it")
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
		list = append(list, cluster.Archive{Ref: image, Data: data})
	}
	return list, nil
}
