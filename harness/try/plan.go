package try

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Plan is what a try will do.
type Plan struct {
	*App     // as it is before the change
	change   Change
	parts    []during.Part   // on a cluster of each mode
	changes  []during.Change // of a part; the first is the change
	given    Options
	modes    []string // one after the other
	protocol string   // by which the app is asked; empty: HTTP
	spoken   string   // what the port speaks, as the Service or a probe says; empty: neither does, or an option says it
	method   string   // of requests
	body     int      // its bytes
	allowed  []string // objects that others may feel
	linked   []string // links to folders, which were not followed
}

// Manifests returns the objects of the manifests, and those that they had at the base; nil: none is given.
func (p Plan) Manifests() (objects, base []manifest.Object) {
	if p.given.Base == "" {
		return p.Objects, nil
	}
	return p.change.objects, p.Objects
}

// Rolls reports whether a workload is the one that is rolled out, and a Service the one that clients use.
func (p Plan) Rolls(workload, service manifest.Object) bool {
	return workload.Unstructured != nil && workload.Same(p.workload) && service.Unstructured != nil && service.GetName() == p.service.Name
}

// Print says what was found and what will be done, in lines.
func (p Plan) Print(w io.Writer) error {
	for _, line := range p.lines() {
		if _, err := fmt.Fprintln(w, phrase.PrintableLines(line)); err != nil {
			return err
		}
	}
	return nil
}

// A Line is one thing that a plan says.
type Line struct {
	Topic string `json:"topic"` // such as workload, Service, rollout or missing
	Says  string `json:"says"`
}

// Lines returns what [Plan.Print] prints.
func (p Plan) Lines() (all []Line) {
	for _, line := range p.lines() {
		topic, says, _ := strings.Cut(line, ":")
		all = append(all, Line{topic, strings.TrimSpace(phrase.PrintableLines(says))})
	}
	return all
}

// read reads the manifests, and finds the app and its change in them.
func (p *Plan) read(ctx context.Context, o Options) error {
	objects, err := manifest.Read(o.Sources)
	if err != nil {
		return err
	}
	if len(o.BaseImages) > 0 && o.Base == "" {
		return usage.New("--base-image="+o.BaseImages[0], "it is for manifests of a base, and none is given", "name it: --base=REVISION")
	}
	if p.App, err = New(objects, o.Service, o.Workload); err == nil {
		p.change, err = NewChange(p.App, o.To, o.Sources)
	}
	if err == nil && o.Base != "" {
		p.App, p.change, err = atBase(ctx, &o, objects)
	}
	if err != nil {
		return err
	}
	return checkRolls(p.App, p.change)
}

// lines says what was found in the manifests, what will be requested and rolled out, and what a kind cluster will lack.
func (p Plan) lines() []string {
	answers := p.answers()
	lines := []string{
		fmt.Sprintf("workload:  %s in namespace %s, %s", p.workload, p.service.Namespace, p.size()),
		fmt.Sprintf("container: %s, image %s%s", answers.Name, answers.Image, beside(p.template.Spec, answers)),
		fmt.Sprintf("Service:   %s port %d, which leads to port %d of the pods%s", p.service.Name, p.port.Port, p.target(p.port), p.notAsked()),
	}
	if len(p.beside) > 0 {
		lines = append(lines, "behind it: also pods of "+phrase.Cut(listed(p.beside), 55)+", which get requests and are not rolled out")
	}
	if p.spoken != "" {
		lines = append(lines, "protocol:  "+p.spoken)
	}
	lines = append(lines, "requests:  "+p.asked())
	if p.secure {
		lines = append(lines, "TLS:       "+p.trusts())
	}
	if start := startOf(answers); start != "" {
		lines = append(lines, "startup:   "+start)
	}
	lines = append(lines, "readiness: "+probeOf(answers.ReadinessProbe),
		fmt.Sprintf("shutdown:  %s, grace period %d s", p.hooks(), ptr.Deref(p.template.Spec.TerminationGracePeriodSeconds, 30)))
	for i, c := range p.changes {
		lines = append(lines, []string{"rollout:   ", "then:      "}[min(i, 1)]+c.Does())
	}
	if changes := p.change.ofService(p.App); len(changes) > 0 {
		lines = append(lines, "Service:   changes with the rollout: "+strings.Join(changes, "; "))
	}
	if same := p.sameImages(); same != "" {
		lines = append(lines, "images:    "+phrase.Cut(same, 60)+" before and after: only manifests are tried")
	}
	lines = append(lines, p.hookLines()...)
	if len(p.modes) > 1 {
		lines = append(lines, "modes:     "+strings.Join(p.modes, ", then ")+", each on a cluster of its own")
	}
	if ports := userapp.HostPorts(p.template.Spec); len(ports) > 0 {
		lines = append(lines, "each node: takes one pod at a time, by its host port "+strings.Join(ports, " and "))
	}
	if asking := p.asking(); len(asking) > 0 {
		lines = append(lines, "clients:   "+strings.Join(asking, ", ")+", whose requests add load that is not recorded")
	}
	if len(p.linked) > 0 {
		lines = append(lines, "left out:  "+strings.Join(p.linked, ", ")+": -R follows no link to a folder, so name it with -f too")
	}
	if len(p.allowed) > 0 {
		lines = append(lines, "allowed:   "+strings.Join(p.allowed, ", ")+", which others may feel")
	}
	if others := p.others(); len(others) > 0 {
		lines = append(lines, "beside it: "+phrase.Cut(strings.Join(others, ", "), 109))
	}
	return slices.Concat(lines, p.volumes(), p.bound(), p.lacking())
}

// sameImages names the images of the workload where base and working tree are tried and have the same.
func (p Plan) sameImages() string {
	if p.given.Base == "" {
		return ""
	}
	merged := slices.DeleteFunc(slices.Clone(p.change.objects), func(o manifest.Object) bool { return !o.Same(p.workload) })
	images := manifest.Images([]manifest.Object{p.workload})
	if !slices.Equal(images, manifest.Images(merged)) {
		return ""
	}
	return strings.Join(images, ", ")
}

// size says how many pods the workload has.
func (p Plan) size() string {
	replicas, found, _ := unstructured.NestedInt64(p.workload.Object, "spec", "replicas")
	switch {
	case p.workload.GetKind() == "DaemonSet":
		return "a pod on each node"
	case !found:
		replicas = 1 // apps/v1 defaults.go
	}
	return phrase.Count(int(replicas), "replica")
}

// notAsked names the other ports of the Service.
func (p Plan) notAsked() string {
	others := slices.DeleteFunc(slices.Clone(p.service.Spec.Ports), func(port corev1.ServicePort) bool { return port.Name == p.port.Name })
	if len(others) == 0 {
		return ""
	}
	return "; not asked: " + userapp.NotAskedText(others, p.port, &p.template.Spec)
}

// speaks has clients ask by the protocol that the port speaks, unless an option says by what, and returns a clause that says so.
func (p Plan) speaks(o *Options) (says string, err error) {
	found := userapp.SpokenAt(p.port, &p.template.Spec)
	switch {
	case o.Request.Protocol != "":
	case found.IsHTTP():
		o.Request.Protocol = userapp.HTTP
	default:
		says = found.Says(p.service, p.port)
		if err := during.CheckSpoken("Service "+p.service.Name, found.Protocol, says); err != nil {
			return "", err
		}
		o.Request.Protocol = found.Protocol
	}
	p.path = userapp.PathOf(o.Request.Protocol, p.path)
	return says, nil
}

// asked describes the requests.
func (p Plan) asked() string {
	said := p.method + " " + p.path
	switch protocol := p.protocol; protocol {
	case "", userapp.HTTP:
	case userapp.GRPC, userapp.WebSocket:
		said = p.path + ", by " + userapp.Title(protocol)
	default:
		said += ", by " + userapp.Title(protocol)
	}
	if p.body > 0 {
		said += " with " + phrase.Count(p.body, "byte")
	}
	if host := cmp.Or(p.given.Request.Host, p.host()); host != "" {
		said += ", Host " + host
	}
	if p.secure && p.protocol != userapp.H2 { // whose title says so
		said += ", over TLS"
	}
	if p.asProbed {
		said += fmt.Sprintf(", as the readiness probe; for what clients ask: --service=%s:%d/PATH", p.service.Name, p.port.Port)
	}
	return said
}

// trusts says which certificates clients accept, and whether they have one.
func (p Plan) trusts() string {
	said := "any certificate of the app is accepted; to have it verified: --ca=FILE"
	switch q := p.given.Request; {
	case q.Insecure:
		said = "any certificate of the app is accepted"
	case q.CA != "":
		said = "the certificate of the app has to be of an authority in " + q.CA
	}
	if name := p.given.Request.ClientCert; name != "" {
		said += "; clients present " + name
	}
	return said
}

// others names the objects beside the workload and the Service.
func (p Plan) others() (names []string) {
	for _, o := range p.Objects {
		left := slices.ContainsFunc(p.leftOut(), o.Same)
		service := o.GetKind() == "Service" && o.GetName() == p.service.Name
		behind := slices.ContainsFunc(p.beside, o.Same)
		if o.Unstructured != p.workload.Unstructured && !service && !left && !behind {
			names = append(names, o.String())
		}
	}
	return names
}

// leftOut returns the objects that are not applied, as far as that is known before there is a cluster.
func (p Plan) leftOut() []manifest.Object {
	if p.given.Named() {
		return nil
	}
	return foreign(slices.Concat(p.installed(), p.change.applied()))
}

// lacking says what the manifests need, and neither they nor a cluster that is made have. An existing cluster may have anything.
func (p Plan) lacking() (lines []string) {
	installed, applied := p.installed(), p.change.applied()
	missing := append(unmet(installed, installed), unmet(applied, slices.Concat(installed, applied))...)
	slices.Sort(missing)
	follows := ": its pods do not start without; put one with test values beside the manifests"
	if p.given.Named() {
		follows = ": the cluster has to have it"
	}
	for _, text := range slices.Compact(missing) {
		lines = append(lines, "missing:   "+text+follows)
	}
	for _, o := range p.leftOut() {
		lines = append(lines, fmt.Sprintf("left out:  %s: a kind cluster does not have kind %s of %s", o, o.GetKind(), o.GetAPIVersion()))
	}
	if by := p.injected(); by != "" && !p.given.Named() {
		lines = append(lines, "sidecar:   a kind cluster has no mesh that adds one, as "+by+" asks for: the result is without it")
	}
	return lines
}
