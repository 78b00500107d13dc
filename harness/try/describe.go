package try

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/userapp"
)

// answers returns the container that declares the Service's port, or else the first one.
func (a *App) answers() corev1.Container { return userapp.Answers(a.template.Spec, a.port) }

// beside names the other containers of a pod.
func beside(spec corev1.PodSpec, answers corev1.Container) (said string) {
	var before, with []string
	for _, c := range spec.InitContainers {
		if !userapp.IsSidecar(c) {
			before = append(before, c.Name)
		}
	}
	for _, c := range userapp.Serving(spec) {
		if c.Name != answers.Name {
			with = append(with, c.Name)
		}
	}
	if len(before) > 0 {
		said = "; before it " + strings.Join(before, ", ")
	}
	if len(with) > 0 {
		said += "; beside it " + strings.Join(with, ", ")
	}
	return said
}

func probeOf(p *corev1.Probe) string {
	switch {
	case p == nil:
		return "no probe: a pod is ready as soon as its container runs"
	case p.HTTPGet != nil:
		return fmt.Sprintf("GET %s at port %s", secret.Query(p.HTTPGet.Path), p.HTTPGet.Port.String())
	case p.TCPSocket != nil:
		return "a connection to port " + p.TCPSocket.Port.String()
	case p.GRPC != nil:
		return fmt.Sprintf("gRPC at port %d", p.GRPC.Port)
	default:
		return "a command in the container"
	}
}

// startOf says how long a container may take to start before it is restarted; empty if there is no limit.
func startOf(c corev1.Container) string {
	probe, by := c.StartupProbe, "the startup probe"
	if probe == nil {
		probe, by = c.LivenessProbe, "the liveness probe, since there is no startup probe"
	}
	if probe == nil {
		return ""
	}
	period, failures := cmp.Or(probe.PeriodSeconds, 10), cmp.Or(probe.FailureThreshold, 3) // core/v1, defaults.go
	return fmt.Sprintf("restarted if it takes longer than %d s, by %s", probe.InitialDelaySeconds+period*failures, by)
}

// hooks describes the preStop hooks that keep the container which answers from ending.
func (a *App) hooks() string {
	var said []string
	for _, c := range a.hooked() {
		text := hookOf(userapp.PreStop(c))
		if c.Name != a.answers().Name {
			text += " of container " + c.Name
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		return "no preStop hook"
	}
	return strings.Join(said, ", ")
}

func hookOf(h *corev1.LifecycleHandler) string {
	switch {
	case h.Sleep != nil:
		return fmt.Sprintf("preStop sleep of %d s", h.Sleep.Seconds)
	case h.Exec != nil:
		return "preStop command: " + strings.Join(secret.Args(h.Exec.Command), " ")
	default:
		return "preStop request"
	}
}

// autoscaler returns the name of the autoscaler that sets the workload's replicas, if its manifest has them as well; else it is empty.
func (a *App) autoscaler() string {
	if _, named, _ := unstructured.NestedInt64(a.workload.Object, "spec", "replicas"); !named {
		return ""
	}
	for _, o := range a.Objects {
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "kind")
		name, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "name")
		if o.GetKind() == "HorizontalPodAutoscaler" && scheme.Scheme.Recognizes(o.GroupVersionKind()) && // else it is left out
			o.Namespace() == a.workload.Namespace() && kind == a.workload.GetKind() && name == a.workload.GetName() {
			return o.GetName()
		}
	}
	return ""
}

// asking returns the other workloads and pods that name the Service in a URL or with a port, such as load generators and gateways.
func (a *App) asking() (names []string) {
	name := regexp.QuoteMeta(a.service.Name)
	named := regexp.MustCompile(`//` + name + `([.:/]|$)|^` + name + `(\.[\w.-]+)?:\d+`)
	for _, o := range a.Objects {
		asks := func(c corev1.Container) bool {
			return slices.ContainsFunc(slices.Concat(c.Command, c.Args), named.MatchString) ||
				slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return named.MatchString(e.Value) })
		}
		if o.Unstructured != a.workload.Unstructured && slices.ContainsFunc(manifest.ContainersOf(o), asks) {
			names = append(names, o.String())
		}
	}
	return names
}
