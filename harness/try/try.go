package try

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/loadgen"
)

// settle is how long the load goes on after a rollout: longer than rules take to follow (minSyncPeriod, 1 s).
const settle = 5 * time.Second

// settleFor returns how long the load goes on if clients await each reply as --timeout says, unless that is longer than any would.
func settleFor(timeout string) string {
	if d, err := time.ParseDuration(timeout); err == nil && d > settle && d <= loadgen.Patience {
		return timeout
	}
	return settle.String()
}

// Run applies the app, rolls it out under load, reports what that cost, and returns the exit code of the verdict. It returns an error if
// there is no report: a [usage.Error] for bad input.
func (p Plan) Run(ctx context.Context, at during.Terminal, reports run.Reports) (int, error) {
	if len(p.modes) > 1 {
		if err := checkKernel(ctx, p.modes); err != nil {
			return 0, err
		}
	}
	return during.RunChanges(ctx, at, "try", p.given.line(), reports, p.parts...)
}

// NewPlan reads the manifests and checks all options. It creates nothing. The error is a [usage.Error] for bad input.
func NewPlan(ctx context.Context, o Options, advise Advise) (p Plan, err error) {
	if err = o.CheckNamed("rollcall try"); err != nil {
		return p, err
	}
	if o.KubeVersion, err = kube.Resolve(o.Kubernetes); err != nil {
		return p, err
	}
	if o.Named() {
		there := attached.Options{Kubeconfig: o.Kubeconfig, Context: o.Context, Access: o.Access}
		if o.Namespace, err = attached.Namespace(there); err != nil {
			return p, err
		}
	} else if o.Namespace = o.Namespaces; o.Namespace != "" && len(validation.IsDNS1123Label(o.Namespace)) > 0 {
		return p, usage.New("--namespace="+o.Namespace, "it is no name of a namespace", "name the one of objects that name none, as for kubectl")
	}
	p.given = o
	if err = p.read(ctx, o); err != nil {
		return p, err
	}
	if p.spoken, err = p.speaks(&o); err != nil {
		return p, err
	}
	if o.Twin && len(p.hooked()) == 0 {
		return p, usage.New("--twin", fmt.Sprintf("the pods of %s have no preStop hook that could be taken away", p.workload),
			"leave --twin out")
	}
	if !o.Named() {
		o.Namespaces = "" // they are those of an existing cluster
	}
	o.Settle = settleFor(o.Request.Timeout)
	o.Request.Host = cmp.Or(o.Request.Host, p.host())
	if p.secure && o.Request.CA == "" && !o.Request.Insecure {
		if err := o.checkTrust(); err != nil {
			return p, err
		}
		o.Request.Insecure = true // as the kubelet does
	}
	o.Creates = true
	o.Options.Service, o.LoadImages = p.Service(), slices.Concat(manifest.Images(p.installed()), p.change.Images())
	for _, image := range o.LoadImages {
		if err := layout.CheckImage(image); err != nil {
			return p, usage.New("image "+strconv.Quote(image), usage.OneLine(err), "write it like shop/web:v2")
		}
	}
	if p.modes, err = o.modeList(); err != nil {
		return p, err
	}
	if p.parts, err = partsIn(p.modes, p.App, p.change, o, advise); err != nil {
		return p, err
	}
	p.changes = p.parts[0].Changes
	if o.Recursive {
		p.linked = manifest.Linked(append(slices.Clone(o.Files), o.To)...)
	}
	if c := p.parts[0].There(); c != nil {
		if p.allowed, err = p.given.checkAllowed(ctx, c, slices.Concat(p.installed(), p.change.applied())); err != nil {
			return p, err
		}
	}
	p.method, p.body = p.parts[0].Request()
	p.protocol = o.Request.Protocol
	return p, nil
}

// checkTrust returns an error where it would hurt to accept any certificate: where a header's value is a secret, which is why it stands in
// a file or a variable, and on a cluster with other apps than this one.
func (o *Options) checkTrust() error {
	const remedy = "give --ca=FILE, or --insecure to accept any certificate"
	for _, header := range o.Request.Headers {
		if name, value, _ := strings.Cut(header, "="); usage.Refers(value) {
			return usage.New("--header="+name, "over TLS its value would be sent to whoever answers", remedy)
		}
	}
	if o.Named() {
		return usage.New("requests over TLS", "on an existing cluster it has to be known who answers", remedy)
	}
	return nil
}

// checkAllowed returns the objects that --allow=cluster-objects permits, and an error if they need that.
func (o *Options) checkAllowed(ctx context.Context, c cluster.APIServer, objects []manifest.Object) ([]string, error) {
	t, err := newTarget(c, nil, nil)
	if err != nil {
		return nil, err
	}
	return t.checkAllowed(ctx, objects, o.Permits(during.ClusterObjects))
}

// An appRun has the state of a run: the app, and the cluster that it is on.
type appRun struct {
	app    *App
	change Change
	images []string
	target atomic.Pointer[target] // nil: not deployed yet
	merge  *merge                 // nil: no base is given
	fix    *fix                   // nil: none is asked for
	chart  *charted               // nil: no chart renders the workload
}

// result says what the recordings show together, in a line for each question.
func (r *appRun) result() string {
	var lines []string
	if r.merge != nil {
		lines = append(lines, r.merge.result())
	}
	if r.fix != nil {
		lines = append(lines, r.fix.result())
	}
	if r.chart != nil {
		lines = append(lines, r.chart.result())
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

// changes returns what is rolled out, one after the other.
func (r *appRun) changes(o Options) []during.Change {
	list := []during.Change{{ID: "rollout", Does: func() string { return r.change.Does(r.app) }, Prepare: r.deploy,
		Manifest: r.app.workload.Object, Autoscaled: r.app.autoscaler(),
		Do: func(ctx context.Context) error { return r.change.do(ctx, r.app, r.target.Load()) }}}
	if r.merge != nil {
		list = r.merge.changes()
	}
	if r.fix != nil {
		last := &list[len(list)-1]
		judged := last.Judged
		last.Judged = func(rec kept.Recording, unfinished string) {
			if r.fix.rolledOut(rec, unfinished); judged != nil {
				judged(rec, unfinished)
			}
		}
		list = append(list, r.fix.changes()...)
	}
	if o.Twin {
		list = append(list, during.Change{ID: "twin", Loses: true, Do: r.restart, Prepare: r.withoutHook,
			Does: func() string { return fmt.Sprintf("%s restarts without its preStop hook", r.app.workload) }})
	}
	for i := range list {
		if r.chart != nil {
			list[i].Judged = r.chart.looking(list[i].Judged)
		}
		list[i].Rolls = during.Workload{Kind: r.app.workload.GetKind(), Name: r.app.workload.GetName(), Has: r.app.owns}
	}
	return list
}

func (r *appRun) restart(ctx context.Context) error { return Change{}.do(ctx, r.app, r.target.Load()) }

// deploy creates the app, once what killed tries left on the cluster is gone, and waits until it is ready.
func (r *appRun) deploy(ctx context.Context, site during.Site) (err error) {
	if err := Clean(ctx, site.Cluster, site.Say, filepath.Dir(site.Folder)); err != nil {
		site.Say(usage.OneLine(err))
	}
	to, err := newTarget(site.Cluster, r.images, site.Say)
	if err != nil {
		return err
	}
	to.alone = !site.Cluster.Attached()
	file := filepath.Join(site.Folder, "created-"+site.Cluster.Mode()+".json")
	if to.record, err = newRecord(identityOf(ctx, site.Cluster), !site.Cluster.Temporary(), file); err != nil {
		return err
	}
	r.target.Store(to)
	if ours, is := site.Cluster.(cluster.Changeable); is {
		all := slices.Concat(r.app.installed(), r.change.applied())
		to.told = foreign(all)
		if err := to.makeVolumes(ctx, ours, all); err != nil {
			return err
		}
	}
	if err := to.install(ctx, r.app); err != nil {
		return err
	}
	return to.awaitReady(ctx, site.Cluster.Client(), r.app)
}

// Remove deletes the objects that were created.
func (r *appRun) Remove(ctx context.Context) error {
	if target := r.target.Load(); target != nil {
		return target.remove(ctx)
	}
	return nil
}

// Stays names the objects that were created and not deleted.
func (r *appRun) Stays() []string {
	if target := r.target.Load(); target != nil {
		return target.record.stays()
	}
	return nil
}
