package try

import (
	"slices"

	"al.essio.dev/pkg/shellescape"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
)

// Options are the options of rollcall try. Those of during.Options are shared with rollcall during.
type Options struct {
	manifest.Sources
	Service  string // see New; empty: the only one
	Workload string // likewise
	To       string // see NewChange; empty: a restart
	Base     string // revision of the manifests' git repository that runs now: what the working tree changes is rolled out; empty: none
	// BaseImages has an image for each name of one in the manifests at Base, as NAME=REF.
	BaseImages []string
	Fix        bool // if clients lost requests, roll out the patch of the advice, and restart the app with it
	Twin       bool // restart the app once more, without its preStop hook
	DryRun     bool // print what was found in the manifests, and do nothing
	during.Options
}

// List returns the flags of the options.
func (o *Options) List() usage.List {
	first := usage.List{
		{Flag: "filename", Short: "f", Texts: &o.Files, Help: "`file`, folder or URL with manifests, or - for standard input"},
		{Flag: "kustomize", Short: "k", Text: &o.Kustomize, Help: "`folder` of a kustomization"},
		{Flag: "chart", Text: &o.Chart, Help: "`folder` or archive of a Helm chart, rendered as helm template does, for a release of its name"},
		{Flag: "values", Texts: &o.Values, Help: "`file` with values for the chart"},
		{Flag: "service", Text: &o.Service,
			Help: "`Service` that clients use: [namespace/]name[:port][/path]; over TLS: https:name:port[/path] " +
				"(default: the only one that leads to pods)"},
		{Flag: "workload", Text: &o.Workload,
			Help: "which `workload` is rolled out, where the Service leads to several: KIND/NAME or NAME"},
		{Flag: "to", Text: &o.To,
			Help: "what to roll out: image=`REF`, CONTAINER=REF, a file, folder or URL with manifests, or a chart (default: a restart)"},
		{Flag: "base", Text: &o.Base, Help: "`revision` of the manifests' git repository that runs now, such as origin/main: record its restart, then the " +
			"merge of what the files have, then a restart of that"},
		{Flag: "base-image", Texts: &o.BaseImages, Help: "with --base: `NAME=REF`, the image that containers of image NAME have there, such " +
			"as what a job before built of it; may be given again"},
		{Flag: "dry-run", Switch: &o.DryRun, Help: "check all options, print what was understood and what a kind cluster will lack, and do nothing"},
	}
	more := usage.List{
		{Flag: "recursive", Short: "R", Switch: &o.Recursive, Help: "read folders within folders, too"},
		{Flag: "fix", Switch: &o.Fix,
			Help: "then, if clients lost requests, roll out the patch that the advice has, and restart the app with it: clients may lose none; " +
				"--needed is the same"},
		{Flag: "twin", Switch: &o.Twin, Help: "then restart the app without its preStop hook: clients have to lose requests"},
	}.Under("Manifests and what follows their rollout")
	allow := o.Options.List().Only("allow")
	allow[0].Values = append(allow[0].Values, during.ClusterObjects)
	allow[0].Help += "; " + during.ClusterObjects + ", to create what others on an existing cluster may feel: cluster-wide objects, Ingresses and " +
		"load balancers"
	shared := []string{"max-outage", "max-failed", "max-latency", "host", "header", "method", "body", "good-status", "timeout",
		"protocol", "end-mark", "longest",
		"ca", "server-name", "insecure", "client-cert", "client-key", "rate", "modes", "k8s", "keep", "namespace", "image-repo", "images"}
	for _, there := range o.Reach() {
		shared = append(shared, there.Flag)
	}
	same := o.Options.List().Only(shared...)
	same[slices.IndexFunc(same, func(o usage.Option) bool { return o.Flag == "modes" })].Help =
		"kube-proxy `modes`, separated by commas: one after the other, each on a cluster of its own (default iptables)"
	same[slices.IndexFunc(same, func(o usage.Option) bool { return o.Flag == "namespace" })].Help =
		"`namespace` of objects that name none, as for kubectl (default: default); on an existing cluster, where that is its context's: " +
			"namespaces for Rollcall's own pods, separated by commas (default: one is made)"
	return slices.Concat(first, more, append(same, allow...).Under(usage.Losses))
}

// line returns the command line that reproduces the run. It has no secret.
func (o *Options) line() string {
	return secret.URLs(shellescape.QuoteCommand(append([]string{"rollcall", "try"}, o.List().Args()...)))
}
