package try

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// An App is what manifests deploy: all objects, and the workload and Service under test.
type App struct {
	Objects     []manifest.Object
	deployHooks []manifest.Object // of Helm and Argo CD, beside Objects
	workload    manifest.Object   // that is rolled out
	template    corev1.PodTemplateSpec
	beside      []manifest.Object // others whose pods the Service leads to
	service     corev1.Service    // that clients request
	port        corev1.ServicePort
	path        string
	asProbed    bool // path is the readiness probe's
	secure      bool // requests use TLS
}

// New finds the Service and the workload behind it. service is empty or names the Service, like https:shop/web:8443/healthz, of which all
// but web is optional; web/ has the path /. workload is empty or names the workload, like Deployment/web or web.
func New(objects []manifest.Object, service, workload string) (*App, error) {
	if len(objects) == 0 {
		return nil, usage.New("manifests", "they have no object", "name some that have: -f FILE, -k FOLDER or --chart=DIR")
	}
	a := &App{}
	a.Objects, a.deployHooks = apart(objects)
	named, ok := userapp.ParseServiceName(service)
	if !ok && service != "" {
		return nil, usage.New("--service="+secret.Query(service), "it does not name a Service",
			"write it like web, shop/web, web:8080 or web:http/healthz")
	}
	if err := a.choose(named, workload); err != nil {
		return nil, err
	}
	if replicas, given, _ := unstructured.NestedInt64(a.workload.Object, "spec", "replicas"); given && replicas == 0 {
		return nil, usage.New(a.workload.String(), "it has 0 replicas, so nothing would answer", "give it one or more")
	}
	if a.workload.GetName() == "" || a.service.Name == "" {
		return nil, usage.New(a.workload.GetKind()+" and Service ("+a.workload.At+")", "the API server would choose a name by generateName",
			"name both: metadata.name")
	}
	a.service.Namespace = a.workload.Namespace()
	if err := a.choosePort(named); err != nil {
		return nil, err
	}
	a.path, a.asProbed = cmp.Or(named.Path, "/"+strings.TrimPrefix(a.probed().Path, "/")), named.Path == "" && a.probed().Path != ""
	a.secure = cmp.Or(named.Scheme, strings.ToLower(string(a.probed().Scheme))) == "https"
	return a, nil
}

func services(objects []manifest.Object) (names []string) {
	for _, o := range objects {
		if service, is := manifest.ServiceOf(o); is {
			names = append(names, service.Name)
		}
	}
	return names
}

// choosePort sets the port: the named one, or that of a readiness probe, or the first.
func (a *App) choosePort(named userapp.ServiceName) error {
	port := named.Of(&a.service)
	if port == nil {
		return usage.New("Service "+a.service.Name, "it has no port "+named.Port, "choose one of: "+userapp.PortsText(a.service.Spec.Ports))
	}
	a.port = *port
	if named.Port != "" {
		return nil
	}
	for _, probe := range a.probes() {
		ports := a.service.Spec.Ports
		if i := slices.IndexFunc(ports, func(p corev1.ServicePort) bool { return a.target(p) == a.number(probe.Port) }); i >= 0 {
			a.port = ports[i]
			return nil
		}
	}
	for _, p := range a.service.Spec.Ports {
		probe := userapp.Answers(a.template.Spec, p).ReadinessProbe
		if probe != nil && probe.GRPC != nil && probe.GRPC.Port == a.target(p) {
			a.port = p
			break
		}
	}
	return nil
}

// number returns the number of a port, which may be a name in the pod template; 0 if that has no such name.
func (a *App) number(port intstr.IntOrString) int32 { return userapp.PortNumber(a.template.Spec, port) }

// target returns the port of the pods that a port of the Service leads to.
func (a *App) target(p corev1.ServicePort) int32 { return a.number(userapp.TargetOf(p)) }

// probes returns the readiness probes over HTTP.
func (a *App) probes() (all []corev1.HTTPGetAction) {
	for _, c := range userapp.Serving(a.template.Spec) {
		if c.ReadinessProbe != nil && c.ReadinessProbe.HTTPGet != nil {
			all = append(all, *c.ReadinessProbe.HTTPGet)
		}
	}
	return all
}

// probed returns the readiness probe at the Service's port; it is empty if there is none.
func (a *App) probed() corev1.HTTPGetAction {
	for _, probe := range a.probes() {
		if a.number(probe.Port) == a.target(a.port) {
			return probe
		}
	}
	return corev1.HTTPGetAction{}
}

// host returns the Host header of the readiness probe; empty if it has none.
func (a *App) host() string {
	for _, h := range a.probed().HTTPHeaders {
		if strings.EqualFold(h.Name, "Host") {
			return h.Value
		}
	}
	return ""
}

// Service returns the Service, its port and the path, as `rollcall during --service` takes them.
func (a *App) Service() string {
	name := userapp.ServiceName{Namespace: a.service.Namespace, Name: a.service.Name, Port: fmt.Sprint(a.port.Port), Path: a.path}
	if a.secure {
		name.Scheme = "https"
	}
	return name.String()
}
