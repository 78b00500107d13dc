package userapp

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// A Version is a Service in one version of manifests, with the template of the pods behind it.
type Version struct {
	Service  corev1.Service
	Template corev1.PodTemplateSpec
}

// A ServiceChange is what the next version of manifests changes for clients of a Service: for pods of both versions, as soon as it is
// applied.
type ServiceChange struct {
	Says string // a clause
	Cuts bool   // pods of the old version get no request any more, or cannot answer it
}

// ServiceChanges compares a port of the Service, and its selector, with the next version.
func (v Version) ServiceChanges(next Version, p corev1.ServicePort) (said []ServiceChange) {
	before, after := labels.SelectorFromSet(v.Service.Spec.Selector), labels.SelectorFromSet(next.Service.Spec.Selector)
	if before.String() != after.String() {
		change := ServiceChange{Says: fmt.Sprintf("selector %s to %s", before, after)}
		if !after.Matches(labels.Set(v.Template.Labels)) {
			change.Says, change.Cuts = change.Says+", which pods of the old version do not have", true
		}
		said = append(said, change)
	}
	port := portLike(p, next.Service.Spec.Ports)
	if port == nil {
		return append(said, ServiceChange{fmt.Sprintf("port %s is gone", PortText(p)), true})
	}
	if port.Port != p.Port {
		said = append(said, ServiceChange{fmt.Sprintf("port %d to %d", p.Port, port.Port), true})
	}
	was, is := TargetOf(p), TargetOf(*port)
	from, to, left := PortNumber(v.Template.Spec, was), PortNumber(next.Template.Spec, is), PortNumber(v.Template.Spec, is)
	switch {
	case was != is:
		said = append(said, ServiceChange{fmt.Sprintf("targetPort %s to %s, also for pods of the old version", was.String(), is.String()),
			from != left})
	case from != to:
		said = append(said, ServiceChange{fmt.Sprintf("port %s of the pods %d to %d, for each version its own", was.String(), from, to), false})
	case declares(v.Template.Spec, from) && !declares(next.Template.Spec, to):
		said = append(said, ServiceChange{fmt.Sprintf("no container has port %d any more, and targetPort stays %s", from, was.String()), false})
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
	return slices.ContainsFunc(Serving(pod), func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == number })
	})
}
