package check

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/userapp"
)

// read sets the reading, and the budget that it is about.
func (a *App) read(objects, base []manifest.Object) {
	r, pod := &a.Reading, manifest.PodOf(a.Workload)
	r.Kind, r.Name = a.Workload.GetKind(), a.Workload.GetName()
	service, is := a.service()
	port := corev1.ServicePort{}
	if is {
		port = servedBy(pod, service)
	}
	r.UserApp = userapp.FactsOf(pod, port)
	a.readScale(objects)
	if is {
		a.readService(service, objects)
		a.readChanges(service, base)
	}
	userapp.AddWorkload(&r.UserApp, a.limited())
	r.Surge = userapp.Surge(a.limited(), r.Replicas)
	r.Request = map[string]any{"tcpSocket": map[string]any{"port": portValue(userapp.TargetOf(port))}}
	a.readPod(pod, objects)
	a.readBudget(objects)
}

// service returns the app's Service, and whether it has one.
func (a *App) service() (service corev1.Service, is bool) {
	if a.Service.Unstructured == nil {
		return service, false
	}
	return manifest.ServiceOf(a.Service)
}

// limited returns the workload with a number of replicas, as the API server and an autoscaler would set it.
func (a *App) limited() map[string]any {
	w := a.Workload.DeepCopy().Object
	_ = unstructured.SetNestedField(w, int64(a.Reading.Replicas), "spec", "replicas") // cannot fail: it has a template in its spec
	return w
}

// readScale sets how many pods there are: as the manifest says, or one, or as many as an autoscaler leaves at least.
func (a *App) readScale(objects []manifest.Object) {
	n, named, _ := unstructured.NestedInt64(a.Workload.Object, "spec", "replicas")
	if !named {
		n = 1 // apps/v1 defaults.go
	}
	for _, o := range objects {
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "kind")
		name, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "name")
		if o.GetKind() != "HorizontalPodAutoscaler" || o.Namespace() != a.Workload.Namespace() || kind != a.Workload.GetKind() ||
			name != a.Workload.GetName() {
			continue
		}
		if named {
			a.Reading.Autoscaled = o.GetName()
		} else if least, has, _ := unstructured.NestedInt64(o.Object, "spec", "minReplicas"); has {
			n = least
		}
	}
	a.Reading.Replicas = int(n)
}

func (a *App) readService(service corev1.Service, objects []manifest.Object) {
	r := &a.Reading
	r.Service = service.Name
	r.Manifest = map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": service.Name},
		"spec": a.Service.Object["spec"]}
	if named := a.Service.GetNamespace(); named != "" {
		r.Manifest["metadata"] = map[string]any{"name": service.Name, "namespace": named}
	}
	r.Affinity = service.Spec.SessionAffinity == corev1.ServiceAffinityClientIP
	r.PublishesUnready = service.Spec.PublishNotReadyAddresses
	for _, o := range objects {
		pods, has := manifest.PodLabels(o)
		if !has || o.Namespace() != service.Namespace || o.Same(a.Workload) || !selects(service, pods) || !reaches(service, o) {
			continue
		}
		if mayServe(service, o) {
			r.Peers = append(r.Peers, o.String())
		} else {
			r.Others = append(r.Others, o.String())
		}
	}
	switch {
	case service.Spec.InternalTrafficPolicy != nil && *service.Spec.InternalTrafficPolicy == corev1.ServiceInternalTrafficPolicyLocal:
		r.Local = "spec.internalTrafficPolicy"
	case service.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal:
		r.Local = "spec.externalTrafficPolicy"
	}
	for _, label := range slices.Sorted(maps.Keys(service.Spec.Selector)) {
		if a.changesWithVersion(label, service.Spec.Selector[label]) {
			r.Versioned = append(r.Versioned, label)
		}
	}
}

// reaches reports whether a Service leads requests to pods of an object that it selects: a port by name is left out for pods without it
// (endpointslice v0.37, utils.go, getEndpointPorts).
func reaches(service corev1.Service, o manifest.Object) bool {
	pod := manifest.PodOf(o)
	return slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool {
		return userapp.PortNumber(pod, userapp.TargetOf(p)) > 0
	})
}

// mayServe reports whether pods of an object may answer what a Service sends them, such as those of a canary: they have a port of it, or
// name no port at all. A Job's do not serve.
func mayServe(service corev1.Service, o manifest.Object) bool {
	if kind := o.GetKind(); kind == "Job" || kind == "CronJob" {
		return false
	}
	pod := manifest.PodOf(o)
	var has []int32
	for _, c := range userapp.Serving(pod) {
		for _, p := range c.Ports {
			has = append(has, p.ContainerPort)
		}
	}
	return len(has) == 0 || slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool {
		return slices.Contains(has, userapp.PortNumber(pod, userapp.TargetOf(p)))
	})
}

// readChanges compares each port of the Service, and its selector, with those of an earlier version.
func (a *App) readChanges(service corev1.Service, base []manifest.Object) {
	earlier, workload := slices.IndexFunc(base, a.Service.Same), slices.IndexFunc(base, a.Workload.Same)
	if earlier < 0 || workload < 0 {
		return
	}
	was, next := userapp.Version{}, userapp.Version{Service: service}
	was.Service, _ = manifest.ServiceOf(base[earlier])
	was.Template, _ = manifest.TemplateOf(base[workload])
	next.Template, _ = manifest.TemplateOf(a.Workload)
	for _, port := range was.Service.Spec.Ports {
		for _, change := range was.ServiceChanges(next, port) {
			if change.Cuts && !slices.Contains(a.Reading.Changed, change.Says) {
				a.Reading.Changed = append(a.Reading.Changed, change.Says)
			}
		}
	}
}

// changesWithVersion reports whether a label is one that a next version has another value of: one that Helm and Kubernetes recommend for
// versions, or whose value is the tag of an image.
func (a *App) changesWithVersion(label, value string) bool {
	if label == "app.kubernetes.io/version" || label == "helm.sh/chart" {
		return true
	}
	return slices.ContainsFunc(manifest.PodOf(a.Workload).Containers, func(c corev1.Container) bool {
		_, tag, tagged := strings.Cut(path.Base(c.Image), ":")
		return tagged && tag == value
	})
}

// servedBy returns the port of a Service that a readiness probe asks, or else the first.
func servedBy(pod corev1.PodSpec, service corev1.Service) corev1.ServicePort {
	for _, c := range userapp.Serving(pod) {
		if c.ReadinessProbe == nil || c.ReadinessProbe.HTTPGet == nil {
			continue
		}
		for _, p := range service.Spec.Ports {
			if target := userapp.PortNumber(pod, userapp.TargetOf(p)); target > 0 && target == userapp.PortNumber(pod,
				c.ReadinessProbe.HTTPGet.Port) {
				return p
			}
		}
	}
	if len(service.Spec.Ports) == 0 {
		return corev1.ServicePort{}
	}
	return service.Spec.Ports[0]
}

func portValue(p intstr.IntOrString) any {
	if p.Type == intstr.String {
		return p.StrVal
	}
	return int64(p.IntVal)
}

// sleeps matches a command that only sleeps, alone or in a shell, with its seconds.
var sleeps = regexp.MustCompile(`^(?:\S*sh -c )?(?:\S*/)?sleep ([0-9]+)s?;?$`)

func (a *App) readPod(pod corev1.PodSpec, objects []manifest.Object) {
	r := &a.Reading
	answers := userapp.Container(pod, r.Answers)
	for _, c := range userapp.Serving(pod) {
		hook := userapp.PreStop(c)
		r.Hooked = r.Hooked || hook != nil
		switch alone := hook == nil && c.Name != answers.Name && userapp.PreStop(answers) != nil && !isSidecar(pod, c); {
		case alone && len(c.Ports) > 0:
			r.Exposed = append(r.Exposed, c.Name)
		case alone:
			r.Beside = append(r.Beside, c.Name)
		}
		if c.LivenessProbe != nil && c.StartupProbe == nil {
			r.Hurried = append(r.Hurried, c.Name)
		}
		a.readHook(hook)
	}
	r.Probes = probes(answers.ReadinessProbe)
	r.HostPorts = userapp.HostPorts(pod)
	r.Claims = a.claims(pod, objects)
}

func isSidecar(pod corev1.PodSpec, c corev1.Container) bool {
	return slices.ContainsFunc(pod.InitContainers, func(i corev1.Container) bool { return i.Name == c.Name })
}

func (a *App) readHook(hook *corev1.LifecycleHandler) {
	r := &a.Reading
	switch {
	case hook == nil || hook.Sleep != nil:
	case hook.Exec != nil:
		command := strings.Join(secret.Args(hook.Exec.Command), " ")
		r.Programs = append(r.Programs, firstWord(hook.Exec.Command))
		if only := sleeps.FindStringSubmatch(command); only != nil {
			seconds, _ := strconv.Atoi(only[1]) // digits
			r.PreStop = max(r.PreStop, time.Duration(seconds)*time.Second)
			return
		}
		r.Stopping = true
	default:
		r.Stopping = true
	}
}

func firstWord(command []string) string {
	if len(command) == 0 {
		return "nothing"
	}
	return command[0]
}

// probes says what a probe asks, other than the path /.
func probes(p *corev1.Probe) string {
	switch {
	case p == nil:
		return ""
	case p.HTTPGet != nil && p.HTTPGet.Path == "/":
		return ""
	case p.HTTPGet != nil:
		return "GET " + secret.Query(p.HTTPGet.Path)
	case p.TCPSocket != nil:
		return "for a connection alone"
	case p.GRPC != nil:
		return "the health service"
	default:
		return "a command in the container"
	}
}

// claims returns the volume claims of a Deployment's pods of which one node has the volume at a time.
func (a *App) claims(pod corev1.PodSpec, objects []manifest.Object) (names []string) {
	for _, v := range pod.Volumes {
		for _, o := range objects {
			if v.PersistentVolumeClaim == nil || o.GetKind() != "PersistentVolumeClaim" || o.Namespace() != a.Workload.Namespace() ||
				o.GetName() != v.PersistentVolumeClaim.ClaimName {
				continue
			}
			modes, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "accessModes")
			if len(modes) > 0 && !slices.Contains(modes, string(corev1.ReadWriteMany)) && !slices.Contains(modes, string(corev1.ReadOnlyMany)) {
				names = append(names, o.GetName())
			}
		}
	}
	return names
}

// readBudget looks for a budget that allows no eviction even while all pods are ready. Drains leave the pods of DaemonSets alone.
func (a *App) readBudget(objects []manifest.Object) {
	pods, _ := manifest.PodLabels(a.Workload)
	for _, o := range objects {
		if o.GetKind() != "PodDisruptionBudget" || o.Namespace() != a.Workload.Namespace() || a.Reading.Kind == "DaemonSet" {
			continue
		}
		content, has, _ := unstructured.NestedMap(o.Object, "spec", "selector")
		if has && matches(content, pods) && !allowsOne(o, a.Reading.Replicas) {
			a.Reading.Budget, a.Budget = o.GetName(), o
			return
		}
	}
}

// allowsOne reports whether a budget allows an eviction while all pods are ready. Percentages are rounded up, both ways
// (pkg/controller/disruption/disruption.go, v1.37, getExpectedPodCount).
func allowsOne(budget manifest.Object, replicas int) bool {
	limit := func(field string) (n int, given bool) {
		value, given, _ := unstructured.NestedFieldNoCopy(budget.Object, "spec", field)
		return scaled(value, replicas), given && value != nil
	}
	if n, given := limit("maxUnavailable"); given {
		return n > 0
	}
	n, given := limit("minAvailable")
	return !given || n < replicas
}

// scaled returns a number, or a percentage of the replicas rounded up.
func scaled(value any, replicas int) int {
	limit := intstr.Parse(fmt.Sprint(value))
	n, err := intstr.GetScaledValueFromIntOrPercent(&limit, replicas, true)
	if err != nil {
		return 1 // the API server refuses it
	}
	return n
}

// matches reports whether a label selector of a manifest matches labels.
func matches(selector map[string]any, of labels.Set) bool {
	by, err := userapp.Selector(selector)
	return err == nil && by.Matches(of)
}
