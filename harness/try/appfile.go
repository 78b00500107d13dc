package try

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// An appFile is the file about a user's app that earlier releases rolled out by rollcall run --app. It stays for one release, as does
// rollcall schema app.
type appFile struct {
	usage.Head `json:",inline"`
	Manifests  []string `json:"manifests"` // files, relative to this one, as all
	Workload   struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"workload"`
	Service     string     `json:"service"` // name, name:port or https:name:port
	Request     appRequest `json:"request"`
	Reply       appReply   `json:"reply"`
	Budget      appBudget  `json:"budget"`
	Old         appVersion `json:"old"`
	New         appVersion `json:"new"`
	Rate        int        `json:"rate"` // 0: none is given
	PodSecurity string     `json:"podSecurity"`
}

type appRequest struct {
	Path       string            `json:"path"` // empty: /
	Method     string            `json:"method"`
	Host       string            `json:"host"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	CA         string            `json:"ca"`
	ServerName string            `json:"serverName"`
	Insecure   bool              `json:"insecure"`
	TLSMin     string            `json:"tlsMin"`
	ClientCert string            `json:"clientCert"`
	ClientKey  string            `json:"clientKey"`
}

type appReply struct {
	Status     []int  `json:"status"`
	GoodStatus string `json:"goodStatus"`
	Version    *struct {
		Header  string `json:"header"`
		Pointer string `json:"pointer"`
		Pattern string `json:"pattern"`
	} `json:"version"`
}

type appBudget struct {
	MaxOutage string `json:"maxOutage"`
	MaxFailed string `json:"maxFailed"`
	P99       string `json:"p99"`
}

// An appVersion is what a version of the app changes in its workload.
type appVersion struct {
	Name      string            `json:"name"`
	Image     string            `json:"image"`
	Env       map[string]string `json:"env"`
	Container string            `json:"container"` // empty: the first
}

// InsteadOf returns the error about a file of an app. It has the command line of a try that does the same on the clusters of the options,
// with a comment that names what a try has no option for.
func InsteadOf(ctx context.Context, file string, on run.Options) error {
	flag := "--app=" + file
	var f appFile
	if err := usage.Read(file, "App", &f); err != nil {
		return usage.New(flag, usage.OneLine(err), "roll the app out by its manifests: rollcall try -f FILES")
	}
	o := f.options(filepath.Dir(file))
	objects, err := manifest.Read(o.Sources)
	if err != nil {
		return usage.New(flag, usage.OneLine(err), "then roll the app out: rollcall try -f FILES")
	}
	workload := ""
	if f.Workload.Name != "" {
		workload = strings.TrimPrefix(f.Workload.Kind+"/"+f.Workload.Name, "/")
	}
	app, err := New(objects, f.Service, workload)
	if err != nil {
		return usage.New(flag, usage.OneLine(err), "then roll the app out: rollcall try -f FILES")
	}
	o.Service, o.To = f.service(app), f.to(app)
	if len(app.beside) > 0 {
		o.Workload = workload
	}
	left := slices.Concat(f.left(app), o.take(on))
	if o.Modes == "" && !o.Named() {
		o.Modes = strings.Join(hostModes(ctx), ",")
	}
	line := o.line()
	if len(left) > 0 {
		line += " # it has no option for " + strings.Join(left, ", ")
	}
	return usage.New(flag, "rollcall try does this now, by the manifests themselves", line)
}

// options returns those that say the same as the file, less those about what the manifests have. Its folder is where its files are.
func (f appFile) options(folder string) (o Options) {
	in := func(name string) string {
		if name == "" || filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(folder, name)
	}
	for _, name := range f.Manifests {
		o.Files = append(o.Files, in(name))
	}
	q := f.Request
	o.Request = during.Request{Method: q.Method, Host: q.Host, GoodStatus: f.Reply.GoodStatus, Secure: userapp.Secure{CA: in(q.CA),
		ServerName: q.ServerName, Insecure: q.Insecure, ClientCert: in(q.ClientCert), ClientKey: in(q.ClientKey)}}
	for _, name := range slices.Sorted(maps.Keys(q.Headers)) {
		value := q.Headers[name]
		if at, is := strings.CutPrefix(value, "@"); is {
			value = "@" + in(at)
		}
		if userapp.Exposed(loadgen.HeaderField{Name: name, Value: value}) {
			value = "$VARIABLE"
		}
		o.Request.Headers = append(o.Request.Headers, name+"="+value)
	}
	if q.Body != "" {
		o.Request.Body = "@" + in(q.Body)
	}
	if len(f.Reply.Status) > 0 {
		o.Request.GoodStatus = strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Reply.Status), " ", ","), "[]")
	}
	if !slices.Contains(loadgen.Reads(), cmp.Or(q.Method, http.MethodGet)) {
		o.Allow = "writes"
	}
	o.MaxOutage, o.MaxFailed = f.Budget.MaxOutage, f.Budget.MaxFailed
	if f.Budget.P99 != "" {
		o.MaxLatency = "p99=" + f.Budget.P99
	}
	if f.Rate > 0 {
		o.Rate = strconv.Itoa(f.Rate)
	}
	return o
}

// service returns the Service, the port and the path, which are not those of a probe.
func (f appFile) service(app *App) string {
	named, _ := userapp.ParseServiceName(f.Service) // New has parsed it
	named.Port = cmp.Or(named.Port, fmt.Sprint(fixtures.HTTPPort(&app.service).Port))
	named.Path = secret.Query(cmp.Or(f.Request.Path, "/"))
	secure := func(p corev1.HTTPGetAction) bool { return p.Scheme == corev1.URISchemeHTTPS }
	if named.Scheme == "" && slices.ContainsFunc(app.probes(), secure) {
		named.Scheme = "http"
	}
	return named.String()
}

// to returns the image that is rolled out; it is empty, which is a restart, if the versions have the same.
func (f appFile) to(app *App) string {
	c := f.New.of(app)
	if image := f.New.Image; image != "" && image != cmp.Or(f.Old.Image, c.Image) {
		return c.Name + "=" + image
	}
	return ""
}

// left names the fields of the file that options cannot say.
func (f appFile) left(app *App) (left []string) {
	if f.Old.Image != "" && f.Old.Image != f.Old.of(app).Image {
		left = append(left, "old.image (write it into the manifests)")
	}
	if f.Old.differs(app) {
		left = append(left, "old.env (write it into the manifests)")
	}
	if f.New.differs(app) {
		left = append(left, "new.env (write it into other manifests: --to FILE)")
	}
	if f.Reply.Version != nil {
		left = append(left, "reply.version (pods say which they are)")
	}
	if f.Request.TLSMin != "" {
		left = append(left, "request.tlsMin")
	}
	if f.PodSecurity != "" {
		left = append(left, "podSecurity (label the namespace)")
	}
	return left
}

// of returns the container of the app that the version changes, which is empty if there is none of that name.
func (v appVersion) of(app *App) (c corev1.Container) {
	for _, c := range app.template.Spec.Containers {
		if v.Container == "" || v.Container == c.Name {
			return c
		}
	}
	return c
}

// differs reports whether the version sets variables that the manifests do not have so.
func (v appVersion) differs(app *App) bool {
	c := v.of(app)
	for name, value := range v.Env {
		if !slices.Contains(c.Env, corev1.EnvVar{Name: name, Value: value}) {
			return true
		}
	}
	return false
}

// take takes the options of a run: which clusters it has, how they are reached, and how much load they get. It returns those about clusters
// that a try does not have.
func (o *Options) take(on run.Options) (left []string) {
	on.Rate, o.DryRun = cmp.Or(on.Rate, o.Rate), on.DryRun
	things := strings.FieldsFunc(on.Allow+","+o.Allow, func(r rune) bool { return r == ',' || r == ' ' })
	on.Allow = strings.Join(slices.DeleteFunc(things, func(thing string) bool { return strings.HasPrefix(thing, "disruption:") }), ",")
	o.Options.Options = on
	ours := o.List()
	for _, given := range on.Target.List() {
		if said := given.Given(); said != "" && len(ours.Only(given.Flag)) == 0 {
			left = append(left, said)
		}
	}
	return left
}

// hostModes returns the modes that this host can run.
func hostModes(ctx context.Context) (modes []string) {
	kernel := host.Kernel(ctx)
	for _, p := range dataplane.All() {
		if supported, _ := p.Supported(kernel); supported {
			modes = append(modes, p.Name)
		}
	}
	return modes
}
