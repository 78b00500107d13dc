package try

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/userapp"
)

// ofService says what manifests of the next version change for clients of the Service. That is so for pods of both versions, as soon as the
// manifests are applied.
func (c Change) ofService(a *App) (said []string) {
	service, template := a.service, a.template
	for _, o := range c.objects {
		if next, is := manifest.ServiceOf(o); is && next.Name == a.service.Name && next.Namespace == a.service.Namespace {
			service = next
		}
		if o.Same(a.workload) {
			template, _ = manifest.TemplateOf(o)
		}
	}
	before, after := labels.SelectorFromSet(a.service.Spec.Selector), labels.SelectorFromSet(service.Spec.Selector)
	if before.String() != after.String() {
		has := ""
		if !after.Matches(labels.Set(a.template.Labels)) {
			has = ", which pods of the old version do not have"
		}
		said = append(said, fmt.Sprintf("selector %s to %s%s", before, after, has))
	}
	port := portLike(a.port, service.Spec.Ports)
	if port == nil {
		return append(said, fmt.Sprintf("port %s is gone", userapp.PortText(a.port)))
	}
	if port.Port != a.port.Port {
		said = append(said, fmt.Sprintf("port %d to %d", a.port.Port, port.Port))
	}
	was, is := userapp.TargetOf(a.port), userapp.TargetOf(*port)
	from, to := userapp.PortNumber(a.template.Spec, was), userapp.PortNumber(template.Spec, is)
	switch {
	case was != is:
		said = append(said, fmt.Sprintf("targetPort %s to %s, also for pods of the old version", was.String(), is.String()))
	case from != to:
		said = append(said, fmt.Sprintf("port %s of the pods %d to %d, for each version its own", was.String(), from, to))
	case declares(a.template.Spec, from) && !declares(template.Spec, to):
		said = append(said, fmt.Sprintf("no container has port %d any more, and targetPort stays %s", from, was.String()))
	}
	return said
}

// portLike returns the port with the same number or name, or the only one; nil if there is none.
func portLike(p corev1.ServicePort, ports []corev1.ServicePort) *corev1.ServicePort {
	for _, like := range []func(corev1.ServicePort) bool{
		func(o corev1.ServicePort) bool { return o.Port == p.Port },
		func(o corev1.ServicePort) bool { return o.Name == p.Name && p.Name != "" },
		func(corev1.ServicePort) bool { return len(ports) == 1 },
	} {
		if i := slices.IndexFunc(ports, like); i >= 0 {
			return &ports[i]
		}
	}
	return nil
}

// declares reports whether a container that serves has a port of that number.
func declares(pod corev1.PodSpec, number int32) bool {
	return slices.ContainsFunc(userapp.Serving(pod), func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == number })
	})
}
