package harness

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/pkg/envconf"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/host"
	"rollcall/harness/nodeimage"
)

// Options say on what suites run. The zero value is every mode on the default Kubernetes version.
type Options struct {
	Modes      string // kube-proxy modes, separated by commas or spaces; empty: all
	Kubernetes string // version or minor; empty: nodeimage.Default
	Keep       bool   // keep the clusters, and reuse kept ones
	Out        string // run folder; empty: a new one below out/ in the module
}

// Register makes flags of the options. Defaults come from the environment variables that the
// Makefile takes: MODES, K8S, KEEP.
func (o *Options) Register(flags *flag.FlagSet) {
	flags.StringVar(&o.Modes, "modes", os.Getenv("MODES"), "kube-proxy `modes`, separated by commas (default all: iptables,nftables,ipvs)")
	flags.StringVar(&o.Kubernetes, "k8s", os.Getenv("K8S"), "Kubernetes `version`, such as v1.36.x (default "+nodeimage.Default+")")
	flags.BoolVar(&o.Keep, "keep", os.Getenv("KEEP") == "1", "keep the clusters, and reuse kept ones")
	flags.StringVar(&o.Out, "out", "", "run `folder` to write evidence to (default a new one below out/)")
}

// configFile is the cluster's, in the module's folder.
const configFile = "kind-config.yaml"

// A Rig is what the scenarios of one test process run on.
type Rig struct {
	Options
	modes   []string
	version string // Kubernetes'
	module  string // folder of the Rollcall module
	session evidence.Session
}

// Main is the body of a suite's TestMain: it reads the flags, runs the tests and returns the exit
// code. Bad input ends it with 2 before anything is created.
func (r *Rig) Main(m *testing.M) int {
	r.Register(flag.CommandLine)
	if _, err := envconf.NewFromFlags(); err != nil { // registers e2e-framework's own flags, and parses
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
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
	if r.module, err = moduleFolder(); err != nil {
		return err
	}
	if err := cluster.CheckConfig(filepath.Join(r.module, configFile)); err != nil {
		return err
	}
	if r.Out != "" {
		r.Out, err = filepath.Abs(r.Out)
	}
	return err
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

// openSession makes the run folder, unless our parent did.
func (r *Rig) openSession(suite string) error {
	if r.session.ID != "" {
		return nil
	}
	now := time.Now().UTC()
	if r.Out == "" {
		r.Out = filepath.Join(r.module, "out", now.Format("20060102-150405")+"-"+suite)
	}
	file := filepath.Join(r.Out, "evidence", evidence.SessionFile)
	if evidence.ReadJSON(file, &r.session) == nil {
		return nil
	}
	r.session = evidence.NewSession(filepath.Base(r.Out), now)
	return evidence.WriteJSON(file, r.session)
}

// open gives the cluster for a mode, or says why this host cannot have one. What the cluster is
// stands in the run folder either way.
func (r *Rig) open(ctx context.Context, out io.Writer, mode string) (c *cluster.Cluster, skip string, err error) {
	facts := host.Probe(ctx)
	identity := evidence.Cluster{Name: "rollcall-" + mode, Mode: mode, Provider: "kind", Kubernetes: r.version, Kernel: facts.Kernel, Features: hostFeatures(facts)}
	if supported, because := facts.Mode(mode); !supported {
		return nil, because, r.describe(identity)
	}
	if !cluster.Lent(identity.Name) {
		if _, err := r.Check(ctx, out); err != nil {
			return nil, "", err
		}
	}
	if c, err = r.OpenCluster(ctx, out, mode); err != nil {
		return nil, "", err
	}
	if err := c.Describe(ctx, &identity); err != nil {
		return nil, "", errors.Join(err, c.Close())
	}
	return c, "", r.describe(identity)
}

func (r *Rig) describe(identity evidence.Cluster) error {
	return evidence.WriteJSON(filepath.Join(r.Out, "evidence", identity.Mode, evidence.ClusterFile), identity)
}

func hostFeatures(facts host.Facts) []evidence.Feature {
	var list []evidence.Feature
	for _, mode := range cluster.Modes {
		supported, because := facts.Mode(mode)
		list = append(list, evidence.Feature{Name: mode, Supported: supported, Because: because})
	}
	return list
}

// spec is the cluster of a mode, but for its images.
func (r *Rig) spec(mode string) cluster.Spec {
	return cluster.Spec{Name: "rollcall-" + mode, Mode: mode, Keep: r.Keep,
		Config: filepath.Join(r.module, configFile), ProbeImage: fixtures.ImageRef("echo", appVersions[0])}
}

// Check makes this host able to run clusters and refuses whatever would keep those of the rig's
// modes from being created.
func (r *Rig) Check(ctx context.Context, out io.Writer) (host.Facts, error) {
	facts, err := host.Ensure(ctx, out)
	if err != nil {
		return facts, err
	}
	_, here := nodeimage.Here(ctx, r.version)
	if err := facts.Check(!here); err != nil {
		return facts, err
	}
	for _, mode := range r.modes {
		if supported, _ := facts.Mode(mode); !supported {
			continue
		}
		if err := cluster.Check(ctx, r.spec(mode)); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// OpenCluster gets the images and opens the cluster for a mode, after Check or in a process that
// was lent the cluster.
func (r *Rig) OpenCluster(ctx context.Context, out io.Writer, mode string) (*cluster.Cluster, error) {
	spec := r.spec(mode)
	if !cluster.Lent(spec.Name) {
		if err := cluster.Sweep(ctx, out, false); err != nil {
			return nil, err
		}
		var err error
		if spec.Image, err = nodeimage.Ensure(ctx, out, r.version); err != nil {
			return nil, err
		}
		fmt.Fprintln(out, "building the images of the app and the agent")
		if spec.Archives, err = archives(ctx, r.module); err != nil {
			return nil, err
		}
	}
	c, err := cluster.Open(ctx, out, spec)
	if err != nil {
		return nil, err
	}
	if err := nodePortFree(ctx, c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// nodePortFree refuses a cluster, a kept one say, in which another Service has our NodePort.
func nodePortFree(ctx context.Context, c *cluster.Cluster) error {
	services, err := c.Client.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range services.Items {
		for _, port := range s.Spec.Ports {
			if port.NodePort == nodePort {
				return host.Refuse(fmt.Sprintf("NodePort %d", nodePort), "Service "+s.Namespace+"/"+s.Name+" has it", "delete that Service")
			}
		}
	}
	return nil
}

// appVersions are the versions of the echo app that suites use.
var appVersions = []string{"v1", "v2"}

func archives(ctx context.Context, module string) ([]cluster.Archive, error) {
	images, err := fixtures.Build(ctx, module)
	if err != nil {
		return nil, err
	}
	names := [][2]string{{fixtures.AgentName, fixtures.AgentVersion}}
	for _, version := range appVersions {
		names = append(names, [2]string{"echo", version})
	}
	var list []cluster.Archive
	for _, name := range names {
		data, err := images.Archive(name[0], name[1])
		if err != nil {
			return nil, err
		}
		list = append(list, cluster.Archive{Ref: fixtures.ImageRef(name[0], name[1]), Data: data})
	}
	return list, nil
}

// Module is the folder of the Rollcall module, after Prepare.
func (r *Rig) Module() string { return r.module }

// ModeList is the modes asked for, after Prepare.
func (r *Rig) ModeList() []string { return r.modes }

// Version is the Kubernetes version asked for, after Prepare.
func (r *Rig) Version() string { return r.version }
