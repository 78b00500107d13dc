package try

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"rollcall/harness/verdict/phrase"
)

// Describe says in lines what is understood of the app, and what will be done with it.
func (a *App) Describe(change Change) []string {
	replicas, found, _ := unstructured.NestedInt64(a.workload.Object, "spec", "replicas")
	if !found {
		replicas = 1
	}
	answers := a.answers()
	lines := []string{
		fmt.Sprintf("workload:  %s in namespace %s, %s", a.workload, a.service.Namespace, phrase.Count(int(replicas), "replica")),
		fmt.Sprintf("container: %s, image %s%s", answers.Name, answers.Image, beside(a.template.Spec, answers)),
		fmt.Sprintf("Service:   %s port %d, which leads to port %d of the pods; asked for: GET %s", a.service.Name, a.port.Port,
			a.number(targetOf(a.port)), a.asked()),
		"readiness: " + probeOf(answers.ReadinessProbe),
		fmt.Sprintf("shutdown:  %s, grace period %d s", hookOf(answers.Lifecycle), ptr.Deref(a.template.Spec.TerminationGracePeriodSeconds, 30)),
		"rollout:   " + change.Does(a),
	}
	if others := a.others(); len(others) > 0 {
		lines = append(lines, "beside it: "+phrase.Cut(strings.Join(others, ", "), 110))
	}
	return lines
}

// asked is what requests ask for, as the readiness probe does.
func (a *App) asked() string {
	said := a.path
	if host := a.host(); host != "" {
		said += ", Host " + host
	}
	if a.overTLS() {
		said += ", over TLS"
	}
	return said
}

// answers is the container that has the Service's port; the first if none says so.
func (a *App) answers() corev1.Container {
	target := a.number(targetOf(a.port))
	for _, c := range a.template.Spec.Containers {
		for _, p := range c.Ports {
			if p.ContainerPort == target {
				return c
			}
		}
	}
	return a.template.Spec.Containers[0]
}

func beside(spec corev1.PodSpec, answers corev1.Container) string {
	var names []string
	for _, c := range spec.Containers {
		if c.Name != answers.Name {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; beside it " + strings.Join(names, ", ")
}

func probeOf(p *corev1.Probe) string {
	switch {
	case p == nil:
		return "no probe: a pod is ready as soon as its container runs"
	case p.HTTPGet != nil:
		return fmt.Sprintf("GET %s at port %s", p.HTTPGet.Path, p.HTTPGet.Port.String())
	case p.TCPSocket != nil:
		return "a connection to port " + p.TCPSocket.Port.String()
	case p.GRPC != nil:
		return fmt.Sprintf("gRPC at port %d", p.GRPC.Port)
	default:
		return "a command in the container"
	}
}

func hookOf(l *corev1.Lifecycle) string {
	switch {
	case l == nil || l.PreStop == nil:
		return "no preStop hook"
	case l.PreStop.Sleep != nil:
		return fmt.Sprintf("preStop sleep of %d s", l.PreStop.Sleep.Seconds)
	case l.PreStop.Exec != nil:
		return "preStop command: " + strings.Join(l.PreStop.Exec.Command, " ")
	default:
		return "preStop request"
	}
}

// others are the objects that are applied and not looked at.
func (a *App) others() (names []string) {
	for _, o := range a.Objects {
		service := o.GetKind() == "Service" && o.GetName() == a.service.Name
		if o.Unstructured != a.workload.Unstructured && !service {
			names = append(names, o.String())
		}
	}
	return names
}
