package staging

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// Target has the options for a cluster that somebody else owns. The zero value is no such cluster: the run makes its own.
type Target struct {
	Context    string // of the kubeconfig; in-cluster: the service account of the pod we are in
	Kubeconfig string // path; empty: as kubectl finds it
	Access     attached.Access
	Namespaces string // preassigned by the cluster's owner, separated by commas; empty: one is created for each scenario
	ImageRepo  string // repository to push images to, such as registry.example.com/platform/rollcall
	Images     string // images pushed before, such as echo:v1=REF,echo:v2=REF,agent:dev=REF
	RegistryCA string // PEM file of the registry's certificate authority
	PullSecret string // file with the credentials to pull images, such as ~/.docker/config.json
	OutsideURL string // URL of the app's Service, or "none"; empty: a NodePort, if one can be reached
	LoadNodes  string // most nodes that carry agents; empty: 3
	Allow      string // privileged things to do, separated by commas: node-rules, flows, disruption:NODE
	Wait       string // how long to wait for namespaces that other runs use; empty: 10m
	DryRun     bool   // list scenarios, and which would be skipped and why
}

// Reach returns the options that say which cluster it is, how it is reached, and as which user. Only a secret may come from the
// environment, so that nobody uses a cluster by accident.
func (t *Target) Reach() usage.List {
	return append(usage.List{
		{Flag: "context", Default: usage.Make, Text: &t.Context,
			Help: "kubeconfig `context` of an existing cluster, or in-cluster: the one this pod is in " +
				"(default: kind clusters are made)"},
		{Flag: "kubeconfig", Default: usage.Make, Text: &t.Kubeconfig,
			Help: "kubeconfig `file` that has the context (default as kubectl finds it)"},
	}.Under(usage.OnCluster), t.Access.List()...)
}

// List returns all options.
func (t *Target) List() usage.List {
	options := append(t.Reach(), usage.List{
		{Flag: "namespace", Default: usage.Make, Text: &t.Namespaces,
			Help: "`namespaces` to use on an existing cluster, separated by commas (default: one is made for each scenario)"},
		{Flag: "wait", Default: usage.Make, Text: &t.Wait,
			Help: "`time` to wait for a --namespace that another run uses (default 10m)"},
		{Flag: "image-repo", Default: usage.Make, Text: &t.ImageRepo,
			Help: "`repository` to push the images to; nodes pull them from there, by digest"},
		{Flag: "images", Default: usage.Make, Text: &t.Images,
			Help: "`images` pushed before, as rollcall image prints them: echo:v1=REF,echo:v2=REF,agent:dev=REF,noderules:dev=REF"},
		{Flag: "registry-ca", Default: usage.Make, Text: &t.RegistryCA,
			Help: "PEM `file` of the certificate authority of --image-repo (default: this host's)"},
		{Flag: "pull-secret", Default: usage.Make, Text: &t.PullSecret,
			Help: "`file` like ~/.docker/config.json, with credentials for nodes to pull with"},
		{Flag: "outside-url", Default: usage.Make, Text: &t.OutsideURL,
			Help: "`URL` at which this host reaches the app's Service, or none (default: a NodePort, if one can be reached)"},
		{Flag: "load-nodes", Default: usage.Make, Text: &t.LoadNodes, Help: "most nodes that carry load agents, a `number` (default 3)"},
		{Flag: "allow", Default: usage.Make, Text: &t.Allow, Values: []string{harness.NodeRules, evidence.FlowEvents, "disruption:"},
			Help: "privileged `things` to do on an existing cluster, separated by commas: node-rules, to observe nodes' rules; " +
				"flows, beside it, to record to which pod each connection is routed; disruption:NODE, for each of two or more nodes to drain"},
	}.Under(usage.OnCluster)...)
	return append(options, usage.Option{
		Flag: "dry-run", Default: usage.Make, Switch: &t.DryRun, Help: "list the scenarios, and what would be skipped and why; write nothing"})
}

// Named reports whether the options name a cluster.
func (t Target) Named() bool { return t.Context != "" || t.Kubeconfig != "" || t.Access.Server != "" }

// CheckNamed returns an error if an option for an existing cluster is set but no cluster is named: the option would be ignored,
// because the run would make its own clusters.
func (t Target) CheckNamed() error {
	if t.Named() {
		return nil
	}
	for _, o := range t.List() {
		if given := o.Given(); given != "" && o.Flag != "dry-run" {
			return usage.New(given, "it applies only to an existing cluster, and none is named", "name it: --context=NAME")
		}
	}
	return nil
}

// mostLoadNodes is the default for the most nodes that carry agents. It is low because a run watches and polls every agent.
const mostLoadNodes = 3

// Preassigned returns the namespaces that the cluster's owner preassigned.
func (t Target) Preassigned() []string { return splitList(t.Namespaces) }

// wait returns how long to wait for namespaces that other runs use.
func (t Target) wait() (time.Duration, error) {
	if t.Wait == "" {
		return defaultWait, nil
	}
	wait, err := time.ParseDuration(t.Wait)
	if err != nil || wait < 0 {
		return 0, usage.New("--wait="+t.Wait, "it is not a time", "write it like 10m; 0s is not to wait")
	}
	return wait, nil
}

// Hold holds the preassigned namespaces, if there are any, for a run; out gets a line while it waits. lost is called when the run no longer
// holds one.
func (t Target) Hold(ctx context.Context, c *attached.Cluster, run string, out io.Writer,
	lost func(because string)) (*namespace.Hold, error) {
	wait, err := t.wait()
	if err != nil {
		return nil, err
	}
	dead, err := deadRuns(c.REST().Host, t.Preassigned())
	if err != nil {
		return nil, err
	}
	by := t.holder(c, run, dead)
	by.Say, by.Lost = func(text string) { fmt.Fprintln(out, text) }, lost
	return namespace.HoldAll(ctx, c.Client(), t.Preassigned(), wait, by)
}

// holder returns what others are told of a run of this process.
func (t Target) holder(c *attached.Cluster, run string, dead map[string]bool) namespace.Holder {
	host, _ := os.Hostname() // only said
	verb := slices.Clone(os.Args)
	if i := slices.IndexFunc(verb, func(arg string) bool { return strings.HasPrefix(arg, "-") }); i >= 0 {
		verb = verb[:i] // options may have secrets
	}
	verb[0] = filepath.Base(verb[0])
	return namespace.Holder{Run: run, Host: host, Command: strings.Join(verb, " "), Dead: dead, Now: c.Now}
}

// Connect checks the options and connects to the target. It writes nothing.
func (t Target) Connect(ctx context.Context, mode string) (*attached.Cluster, error) {
	nodes, err := strconv.Atoi(cmp.Or(t.LoadNodes, strconv.Itoa(mostLoadNodes)))
	if err != nil || nodes < 1 {
		return nil, usage.New("--load-nodes="+t.LoadNodes, "it is not a number of nodes", "use 1 or more")
	}
	if t.ImageRepo != "" && t.Images != "" {
		return nil, usage.New("--image-repo, --images", "images are pushed, or are in the registry already", "give one of them")
	}
	if t.PullSecret != "" && t.ImageRepo+t.Images == "" {
		return nil, usage.New("--pull-secret="+t.PullSecret, "there is nothing to pull", "give --image-repo or --images as well")
	}
	if t.OutsideURL != "" && t.OutsideURL != attached.NoOutside {
		if err := userapp.CheckURL("--outside-url", t.OutsideURL, "http://rollcall.example.com/, or none", "leave it out"); err != nil {
			return nil, err
		}
		if len(t.Preassigned()) != 1 {
			return nil, usage.New("--outside-url="+t.OutsideURL, "it leads to a Service of one namespace, and scenarios would run in others",
				"give that namespace: --namespace=NAME")
		}
	}
	if _, err := t.wait(); err != nil {
		return nil, err
	}
	drain, err := t.drainable()
	if err != nil {
		return nil, err
	}
	if err := t.checkRegistry(); err != nil {
		return nil, err
	}
	if err := t.CheckImages(false); err != nil {
		return nil, err
	}
	return attached.Connect(ctx, attached.Options{
		Kubeconfig: t.Kubeconfig, Context: t.Context, Access: t.Access, Mode: mode, OutsideURL: t.OutsideURL, LoadNodes: nodes,
		Observe: t.allows(harness.NodeRules), Listen: t.allows(evidence.FlowEvents), Drain: drain,
	})
}

// checkRegistry returns an error for a repository that is not one, and for files that cannot be used with it. It asks nobody.
func (t Target) checkRegistry() error {
	if err := layout.CheckRepo(t.ImageRepo); t.ImageRepo != "" && err != nil {
		return usage.New("--image-repo="+t.ImageRepo, usage.OneLine(err), "write it like registry.example.com/platform/rollcall")
	}
	if err := (layout.Registry{CAFile: t.RegistryCA}).CheckCA(); err != nil {
		return usage.New("--registry-ca="+t.RegistryCA, usage.OneLine(err), "give a PEM file")
	}
	if t.PullSecret != "" {
		if _, err := usage.File(t.PullSecret); err != nil {
			return usage.New("--pull-secret="+t.PullSecret, usage.OneLine(err), "give a file like ~/.docker/config.json")
		}
	}
	return nil
}

func (t Target) allows(thing string) bool { return slices.Contains(splitList(t.Allow), thing) }

// drainable returns the nodes that may be drained, and an error for an unknown word in Allow.
func (t Target) drainable() (nodes []string, err error) {
	for _, thing := range splitList(t.Allow) {
		node, named := strings.CutPrefix(thing, "disruption:")
		switch {
		case named && slices.Contains(nodes, node):
			return nil, usage.New("--allow="+thing, "it is named twice", "name another node: disruption:NODE")
		case named && node != "":
			nodes = append(nodes, node)
		case thing == evidence.FlowEvents && !t.allows(harness.NodeRules):
			return nil, usage.New("--allow="+thing, "the observers of nodes' rules record connections", "add "+harness.NodeRules)
		case thing != harness.NodeRules && thing != evidence.FlowEvents:
			return nil, usage.New("--allow="+thing, "unknown value",
				"use "+harness.NodeRules+", "+evidence.FlowEvents+", or disruption:NODE"+
					usage.Meant(thing, harness.NodeRules, evidence.FlowEvents, "disruption:"))
		}
	}
	return nodes, nil
}

// CheckImages returns an error if the options name images that were pushed before, and not all that are needed. rpcs says that clients send
// RPCs.
func (t Target) CheckImages(rpcs bool) error {
	_, err := t.refs(rpcs)
	return err
}

// refs returns the references of the images pushed before, by our names of the images; nil if the options give none. Those for RPCs may be
// missing unless clients send some.
func (t Target) refs(rpcs bool) (map[string]string, error) {
	if t.Images == "" {
		return nil, nil
	}
	refs := map[string]string{}
	for _, pair := range splitList(t.Images) {
		image, ref, two := strings.Cut(pair, "=")
		name, version, tagged := strings.Cut(image, ":")
		if !two || !tagged || ref == "" || !slices.Contains(layout.Images(true, true), layout.Image{name, version}) {
			return nil, usage.New("--images="+pair, "it is not one of Rollcall's images with its reference",
				"write it like echo:v1=registry.example.com/rollcall/echo@sha256:...")
		}
		refs[fixtures.ImageRef(name, version)] = ref
	}
	for _, image := range layout.Images(t.allows(harness.NodeRules), rpcs) {
		if refs[fixtures.ImageRef(image[0], image[1])] == "" {
			return nil, usage.New("--images", fmt.Sprintf("%s:%s is missing", image[0], image[1]), fmt.Sprintf("add %s:%s=REF", image[0], image[1]))
		}
	}
	return refs, nil
}

func splitList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
