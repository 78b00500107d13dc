package userapp

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/loadgen"
)

// VersionLabel is on every pod of the workload, with the version's name as its value. It differs from [fixtures.VersionLabel],
// which the user's manifests may contain.
const VersionLabel = "rollcall.local/version"

// An App is a user's app: its file, and the objects of its manifests.
type App struct {
	document Document
	at       ServiceName      // that clients request
	objects  []runtime.Object // without workload and service, in the order of the manifests
	workload runtime.Object   // a Deployment or a StatefulSet
	service  *corev1.Service
	facts    evidence.UserApp
	asked    *loadgen.UserHTTP

	namespace string // of the workload, in its manifest
	budget    Losses
}

// Read reads the file of an app and the manifests that it names. The error is one line with the file and the field or
// object. Objects of kinds that Rollcall does not copy are left out, which Facts says.
func Read(file string) (*App, error) {
	a := &App{}
	if err := usage.Read(file, Kind, &a.document); err != nil {
		return nil, err
	}
	if err := a.document.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	a.at, _ = ParseServiceName(a.document.Service) // it is valid
	var err error
	if a.asked, err = a.document.http(filepath.Dir(file)); err != nil {
		return nil, fmt.Errorf("%s: request, reply: %w", file, err)
	}
	if a.budget, err = a.document.Budget.Read("budget.maxOutage: ", "budget.maxFailed: ", "budget.p99: "); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, name := range a.document.Manifests {
		if err := a.load(filepath.Join(filepath.Dir(file), name)); err != nil {
			return nil, err
		}
	}
	if a.workload == nil {
		return nil, fmt.Errorf("%s: workload: no manifest has %s %s", file, a.document.Workload.Kind, a.document.Workload.Name)
	}
	if a.service == nil {
		return nil, fmt.Errorf("%s: service: no manifest has Service %s", file, a.Service())
	}
	if err := a.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	a.adapt()
	a.setFacts()
	return a, nil
}

// Facts returns what advice can be derived from.
func (a *App) Facts() *evidence.UserApp { return &a.facts }

// HTTP returns how requests are sent and replies judged.
func (a *App) HTTP() *loadgen.UserHTTP { return a.asked }

// Path returns the path of requests.
func (a *App) Path() string { return cmp.Or(a.document.Request.Path, "/") }

// Rate returns how many requests per second every lane sends.
func (a *App) Rate() int { return cmp.Or(a.document.Rate, defaultRate) }

// PodSecurity returns the Pod Security Standard that the namespace has to admit.
func (a *App) PodSecurity() string { return cmp.Or(a.document.PodSecurity, "restricted") }

// Service returns the name of the Service that clients use.
func (a *App) Service() string { return a.at.Name }

// Secure reports whether requests to the Service use TLS, with the Service's name.
func (a *App) Secure() bool { return a.at.Secure() }

// Budget returns what a client may lose.
func (a *App) Budget() Losses { return a.budget }

// Name returns kind and name of the workload.
func (a *App) Name() string { return a.document.Workload.Kind + " " + a.document.Workload.Name }

// Images returns the images of both versions, sorted.
func (a *App) Images() []string {
	var images []string
	for _, v := range []Version{a.document.Old, a.document.New} {
		template := a.templateAt(v)
		for _, container := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
			images = append(images, container.Image)
		}
	}
	slices.Sort(images)
	return slices.Compact(images)
}
