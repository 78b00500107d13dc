package wait

import (
	"io"
	"slices"
	"time"

	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// Options are those of rollcall wait.
type Options struct {
	Context    string // of the kubeconfig; empty: the current one
	Kubeconfig string // path; empty: as kubectl finds it
	Access     attached.Access
	Service    string // [NAMESPACE/]NAME
	ForChange  bool   // wait for another revision first
	Timeout    string // empty: 10m
}

// List returns all options.
func (o *Options) List() usage.List {
	return slices.Concat(usage.List{
		{Flag: "service", Text: &o.Service, Help: "`name` of the Service, such as shop/web"},
		{Flag: "for-change", Switch: &o.ForChange, Help: "first wait until the workload has another revision, as where GitOps applies it later"},
		{Flag: "timeout", Text: &o.Timeout, Help: "longest `time` to wait (default 10m)"},
	}, usage.List{
		{Flag: "context", Text: &o.Context, Help: "kubeconfig `context` of the cluster, or in-cluster: the one this pod is in (default: the current one)"},
		{Flag: "kubeconfig", Text: &o.Kubeconfig, Help: "kubeconfig `file` that has the context (default as kubectl finds it)"},
	}.Under(usage.OnCluster), o.Access.List())
}

// A request is what options ask for.
type request struct {
	service userapp.ServiceName
	timeout time.Duration
	cluster attached.Options
}

func (o Options) request() (r request, err error) {
	var known bool
	if r.service, known = userapp.ParseServiceName(o.Service); !known {
		return r, usage.New("--service="+o.Service, "it does not name a Service", "write it like shop/web")
	}
	r.timeout = defaultTimeout
	if o.Timeout != "" {
		if r.timeout, err = time.ParseDuration(o.Timeout); err != nil || r.timeout <= 0 {
			return r, usage.New("--timeout="+o.Timeout, "it is not a time", "write it like 10m")
		}
	}
	r.cluster = attached.Options{Kubeconfig: o.Kubeconfig, Context: o.Context, Access: o.Access, Current: true}
	return r, nil
}

// PrintRights prints a role with the least rights to wait.
func (o Options) PrintRights(w io.Writer) error {
	r, err := o.request()
	if err != nil {
		return err
	}
	if r.service.Namespace == "" {
		return usage.New("--service="+o.Service, "it names no namespace, in which the role is", "write it like shop/web")
	}
	return staging.PrintRole(w, "rollcall wait", "rollcall-wait", r.service.Namespace, rights)
}

var rights = []staging.Right{
	{Resource: "services", Verbs: []string{"get"}},
	{Resource: "pods", Verbs: []string{"list"}},
	{Group: "discovery.k8s.io", Resource: "endpointslices", Verbs: []string{"list"}},
	{Group: "apps", Resource: "deployments", Verbs: []string{"list"}},
	{Group: "apps", Resource: "replicasets", Verbs: []string{"list"}},
	{Group: "apps", Resource: "statefulsets", Verbs: []string{"list"}},
	{Group: "apps", Resource: "daemonsets", Verbs: []string{"list"}},
	{Group: "apps", Resource: "controllerrevisions", Verbs: []string{"list"}},
}
