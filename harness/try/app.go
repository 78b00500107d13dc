package try

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict/phrase"
)

// An App is what manifests deploy: all objects, and the workload and Service under test.
type App struct {
	Objects  []Object
	workload Object // that is rolled out
	template corev1.PodTemplateSpec
	service  corev1.Service // that clients request
	port     corev1.ServicePort
	path     string
	asProbed bool // path is the readiness probe's
	secure   bool // requests use TLS
}

// New finds the Service and the workload behind it. text is empty or names the Service, like https:shop/web:8443/healthz, of which all but
// web is optional; web/ has the path /.
func New(objects []Object, text string) (*App, error) {
	if len(objects) == 0 {
		return nil, usage.New("manifests", "they have no object", "name some that have: -f FILE or -k FOLDER")
	}
	a := &App{Objects: objects}
	named, ok := userapp.ParseServiceName(text)
	if !ok && text != "" {
		return nil, usage.New("--service="+secret.Query(text), "it does not name a Service",
			"write it like web, shop/web, web:8080 or web:http/healthz")
	}
	name := named.Name
	var found, unfit []string
	for _, o := range objects {
		service, is := serviceOf(o)
		if !is || name != "" && (service.Name != name || named.Namespace != "" && o.namespace() != named.Namespace) {
			continue
		}
		workload, template, because := behind(objects, service)
		if because != "" && name != "" {
			return nil, usage.New("Service "+name, because, "choose a Service that leads to pods of these manifests")
		}
		if because != "" {
			unfit = append(unfit, fmt.Sprintf("%s: %s", service.Name, because))
		} else {
			a.service, a.workload, a.template = service, workload, template
			found = append(found, service.Name)
		}
	}
	switch {
	case len(found) == 0 && name != "":
		return nil, usage.New("Service "+name, "no manifest has it", "choose one of: "+strings.Join(services(objects), ", "))
	case len(found) == 0 && len(unfit) > 0:
		return nil, usage.New("Service "+unfit[0], "no Service leads to pods of these manifests", "fix its selector")
	case len(found) == 0:
		return nil, usage.New("manifests", "they have no Service with a ClusterIP", "add one: requests are sent to a Service")
	case len(found) > 1:
		return nil, usage.New("manifests",
			fmt.Sprintf("%s lead to pods of theirs: %s", phrase.Count(len(found), "Service"), strings.Join(found, ", ")),
			"say which clients use: --service="+found[0])
	}
	if replicas, given, _ := unstructured.NestedInt64(a.workload.Object, "spec", "replicas"); given && replicas == 0 {
		return nil, usage.New(a.workload.String(), "it has 0 replicas, so nothing would answer", "give it one or more")
	}
	if a.workload.GetName() == "" || a.service.Name == "" {
		return nil, usage.New(a.workload.GetKind()+" and Service ("+a.workload.At+")", "the API server would choose a name by generateName",
			"name both: metadata.name")
	}
	a.service.Namespace = a.workload.namespace()
	if err := a.choosePort(named); err != nil {
		return nil, err
	}
	a.path, a.asProbed = cmp.Or(named.Path, "/"+strings.TrimPrefix(a.probed().Path, "/")), named.Path == "" && a.probed().Path != ""
	a.secure = cmp.Or(named.Scheme, strings.ToLower(string(a.probed().Scheme))) == "https"
	return a, nil
}

func serviceOf(o Object) (service corev1.Service, is bool) {
	if o.GetKind() != "Service" || o.GetAPIVersion() != "v1" {
		return service, false
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &service)
	service.Namespace = o.namespace()
	return service, err == nil && service.Spec.ClusterIP != corev1.ClusterIPNone
}

func services(objects []Object) (names []string) {
	for _, o := range objects {
		if service, is := serviceOf(o); is {
			names = append(names, service.Name)
		}
	}
	return names
}

// templateOf returns the pod template of a workload.
func templateOf(o Object) (template corev1.PodTemplateSpec, has bool) {
	content, has, _ := unstructured.NestedMap(o.Object, "spec", "template")
	if !has || runtime.DefaultUnstructuredConverter.FromUnstructured(content, &template) != nil {
		return template, false
	}
	return template, len(template.Spec.Containers) > 0
}

// behind returns the one workload whose pods a Service selects, or why there is none.
func behind(objects []Object, service corev1.Service) (workload Object, template corev1.PodTemplateSpec, because string) {
	if len(service.Spec.Selector) == 0 {
		return workload, template, "it has no selector"
	}
	selector := labels.SelectorFromSet(service.Spec.Selector)
	var found, near []string
	for _, o := range objects {
		pods, has := templateOf(o)
		if !has || o.GetKind() == "Job" || o.namespace() != service.Namespace {
			continue
		}
		if !selector.Matches(labels.Set(pods.Labels)) {
			near = append(near, fmt.Sprintf("%s has %s", o, labels.Set(pods.Labels)))
			continue
		}
		workload, template, found = o, pods, append(found, o.String())
	}
	switch {
	case len(found) == 0:
		because = fmt.Sprintf("its selector %s matches no pods of these manifests", selector)
		if len(near) > 0 {
			because += ": " + strings.Join(near, "; ")
		}
	case len(found) > 1:
		because = "it leads to pods of " + strings.Join(found, " and ")
	}
	return workload, template, because
}

// choosePort sets the port: the named one, or that of the readiness probe, or the first.
func (a *App) choosePort(named userapp.ServiceName) error {
	port := named.Of(&a.service)
	if port == nil {
		return usage.New("Service "+a.service.Name, "it has no port "+named.Port, "choose one of: "+userapp.PortsText(a.service.Spec.Ports))
	}
	a.port = *port
	if probe := a.probe(); named.Port == "" && probe != nil {
		ports := a.service.Spec.Ports
		if i := slices.IndexFunc(ports, func(p corev1.ServicePort) bool { return a.target(p) == a.number(probe.Port) }); i >= 0 {
			a.port = ports[i]
		}
	}
	return nil
}

// number returns the number of a port, which may be a name in the pod template; 0 if that has no such name.
func (a *App) number(port intstr.IntOrString) int32 { return userapp.PortNumber(a.template.Spec, port) }

// target returns the port of the pods that a port of the Service leads to.
func (a *App) target(p corev1.ServicePort) int32 { return a.number(userapp.TargetOf(p)) }

// probe returns the first readiness probe over HTTP, or nil.
func (a *App) probe() *corev1.HTTPGetAction {
	for _, c := range a.template.Spec.Containers {
		if c.ReadinessProbe != nil && c.ReadinessProbe.HTTPGet != nil {
			return c.ReadinessProbe.HTTPGet
		}
	}
	return nil
}

// probed returns the readiness probe if it is at the Service's port; else it is empty.
func (a *App) probed() corev1.HTTPGetAction {
	if probe := a.probe(); probe != nil && a.number(probe.Port) == a.target(a.port) {
		return *probe
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

// podOf returns the specification of a pod, or of those of a workload; it is empty for other kinds.
func podOf(o Object) corev1.PodSpec {
	template, _ := templateOf(o)
	if o.GetKind() == "Pod" {
		content, _, _ := unstructured.NestedMap(o.Object, "spec")
		if runtime.DefaultUnstructuredConverter.FromUnstructured(content, &template.Spec) != nil {
			return corev1.PodSpec{}
		}
	}
	return template.Spec
}

// containersOf returns all containers of a pod or a workload, init containers first.
func containersOf(o Object) []corev1.Container {
	pod := podOf(o)
	return slices.Concat(pod.InitContainers, pod.Containers)
}

// Images returns the images of all pods in the manifests, sorted.
func Images(objects []Object) (images []string) {
	for _, o := range objects {
		for _, c := range containersOf(o) {
			images = append(images, c.Image)
		}
	}
	slices.Sort(images)
	return slices.Compact(images)
}
