package staging

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/cluster/attached"
	"rollcall/harness/layout"
	"rollcall/harness/usage"
)

// Target are the options for a cluster that somebody else owns. The zero value is none: clusters of our own are made.
type Target struct {
	Context    string // of the kubeconfig; in-cluster: that of the pod we are in
	Kubeconfig string // path; empty: as kubectl finds it
	Namespaces string // given by the cluster's owner, separated by commas; empty: one is made for each scenario
	ImageRepo  string // to push images to, such as registry.example.com/platform/rollcall
	Images     string // that are there already, such as echo:v1=REF,echo:v2=REF,agent:dev=REF
	RegistryCA string // PEM file of the registry's certificate authority
	PullSecret string // file with the credentials nodes pull with, such as ~/.docker/config.json
	OutsideURL string // that leads to the app's Service, or "none"; empty: a NodePort, if one can be reached
	LoadNodes  string // most nodes that carry agents; empty: 3
	Allow      string // what is privileged and wanted, separated by commas: node-rules
	DryRun     bool   // list scenarios, and what would be skipped and why
}

// Register makes flags of the options. None has a default from the environment: a cluster is named on purpose.
func (t *Target) Register(flags *flag.FlagSet) {
	flags.StringVar(&t.Context, "context", "", "kubeconfig `context` of a cluster that is there already; in-cluster: the one this pod is in (default: kind clusters are made)")
	flags.StringVar(&t.Kubeconfig, "kubeconfig", "", "kubeconfig `file` with that context (default as kubectl finds it)")
	flags.StringVar(&t.Namespaces, "namespace", "", "`namespaces` of that cluster to use, separated by commas (default: one is made for each scenario)")
	flags.StringVar(&t.ImageRepo, "image-repo", "", "`repository` to push the images to and to pull them from, by digest")
	flags.StringVar(&t.Images, "images", "", "`images` that were pushed before: echo:v1=REF,echo:v2=REF,agent:dev=REF,noderules:dev=REF")
	flags.StringVar(&t.RegistryCA, "registry-ca", "", "PEM `file` of the certificate authority of that repository (default: the host's)")
	flags.StringVar(&t.PullSecret, "pull-secret", "", "`file` with the credentials nodes pull with, such as ~/.docker/config.json")
	flags.StringVar(&t.OutsideURL, "outside-url", "", "`URL` by which the app's Service is reached from here, or none (default: a NodePort, if one can be reached)")
	flags.StringVar(&t.LoadNodes, "load-nodes", "", "`number` of nodes that carry agents, at most (default 3)")
	flags.StringVar(&t.Allow, "allow", "", "privileged `things` to do there, separated by commas: node-rules")
	flags.BoolVar(&t.DryRun, "dry-run", false, "list the scenarios, and what would be skipped and why; write nothing")
}

// flags are those that have a value, by name.
func (t Target) flags() [][2]string {
	return [][2]string{
		{"context", t.Context}, {"kubeconfig", t.Kubeconfig}, {"namespace", t.Namespaces}, {"image-repo", t.ImageRepo}, {"images", t.Images},
		{"registry-ca", t.RegistryCA}, {"pull-secret", t.PullSecret}, {"outside-url", t.OutsideURL}, {"load-nodes", t.LoadNodes}, {"allow", t.Allow},
	}
}

// Args are the flags that make another process of ours take the same target.
func (t Target) Args() []string {
	var args []string
	for _, f := range t.flags() {
		if f[1] != "" {
			args = append(args, "-"+f[0]+"="+f[1])
		}
	}
	if t.DryRun {
		args = append(args, "-dry-run")
	}
	return args
}

// Named reports whether there is a target at all.
func (t Target) Named() bool { return t.Context != "" || t.Kubeconfig != "" }

// CheckNamed refuses what is about a cluster that is there already, when none is named: clusters would be made, and it would
// not matter.
func (t Target) CheckNamed() error {
	if t.Named() {
		return nil
	}
	for _, f := range t.flags() {
		if f[1] != "" {
			return usage.New(f[0]+" "+f[1], "it is about a cluster that is there already, and none is named", "name it: -context=NAME")
		}
	}
	return nil
}

// mostLoadNodes is how many nodes carry agents unless the options say otherwise: each is watched and fetched from.
const mostLoadNodes = 3

// Preassigned are the namespaces that the cluster's owner assigned to us.
func (t Target) Preassigned() []string { return splitList(t.Namespaces) }

// Connect checks the options and connects to the target. It writes nothing.
func (t Target) Connect(ctx context.Context, mode string) (*attached.Cluster, error) {
	nodes, err := strconv.Atoi(cmp.Or(t.LoadNodes, strconv.Itoa(mostLoadNodes)))
	if err != nil || nodes < 1 {
		return nil, usage.New("load nodes "+t.LoadNodes, "it is no number of nodes", "use 1 or more")
	}
	if t.ImageRepo != "" && t.Images != "" {
		return nil, usage.New("image-repo and images", "the one pushes what the other says is there", "give one of them")
	}
	if t.PullSecret != "" && t.ImageRepo+t.Images == "" {
		return nil, usage.New("pull-secret "+t.PullSecret, "there is nothing to pull", "give -image-repo or -images as well")
	}
	if t.OutsideURL != "" && t.OutsideURL != attached.NoOutside {
		if !strings.HasPrefix(t.OutsideURL, "http") {
			return nil, usage.New("outside-url "+t.OutsideURL, "it is no URL", "give one like http://rollcall.example.com/, or none")
		}
		if len(t.Preassigned()) != 1 {
			return nil, usage.New("outside-url "+t.OutsideURL, "it leads to one namespace, and the scenarios would take place in others", "give that namespace: -namespace=NAME")
		}
	}
	for _, thing := range splitList(t.Allow) {
		if thing != harness.NodeRules {
			return nil, usage.New("allow "+thing, "there is no such thing", "use "+harness.NodeRules)
		}
	}
	if _, err := t.refs(); err != nil {
		return nil, err
	}
	return attached.Connect(ctx, attached.Options{
		Kubeconfig: t.Kubeconfig, Context: t.Context, Mode: mode, OutsideURL: t.OutsideURL, LoadNodes: nodes, Observe: slices.Contains(splitList(t.Allow), harness.NodeRules),
	})
}

// refs are the images that are there already, by the name they have here.
func (t Target) refs() (map[string]string, error) {
	if t.Images == "" {
		return nil, nil
	}
	refs := map[string]string{}
	for _, pair := range splitList(t.Images) {
		image, ref, two := strings.Cut(pair, "=")
		name, version, tagged := strings.Cut(image, ":")
		if !two || !tagged || ref == "" || !slices.Contains(layout.Images(true), layout.Image{name, version}) {
			return nil, usage.New("images "+pair, "it is no image of ours with its reference", "write it like echo:v1=registry.example.com/rollcall/echo@sha256:...")
		}
		refs[fixtures.ImageRef(name, version)] = ref
	}
	for _, image := range layout.Images(slices.Contains(splitList(t.Allow), harness.NodeRules)) {
		if refs[fixtures.ImageRef(image[0], image[1])] == "" {
			return nil, usage.New("images", fmt.Sprintf("%s:%s is missing", image[0], image[1]), fmt.Sprintf("add %s:%s=REF", image[0], image[1]))
		}
	}
	return refs, nil
}

func splitList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
