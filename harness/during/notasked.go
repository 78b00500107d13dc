package during

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
)

// noControl is the limit of a URL alone, without --control-url. On a cluster, control lanes ask a pod that nobody rolls out.
func noControl() evidence.Limit {
	return evidence.Limit{ID: evidence.NoControl,
		Text: "a URL alone has no control lane: nothing tells a loss on the way there from one of the app"}
}

// portsNotAsked returns the limit of a Service with other ports than the one that is asked. pod is nil if it is not known.
func portsNotAsked(service *corev1.Service, others []corev1.ServicePort, pod *corev1.PodSpec) []evidence.Limit {
	if len(others) == 0 {
		return nil
	}
	return []evidence.Limit{{ID: evidence.PortsNotAsked, Text: fmt.Sprintf("of %s port %s is asked, and not asked: %s", thingOf(service),
		userapp.PortText(service.Spec.Ports[0]), userapp.NotAskedText(others, service.Spec.Ports[0], pod))}}
}

// familiesNotAsked returns the limit of a Service with addresses of both IP families, of which clients ask the first. The API server keeps
// both lists in the same order (core/v1, ServiceSpec.ClusterIPs).
func familiesNotAsked(service *corev1.Service) []evidence.Limit {
	families := service.Spec.IPFamilies
	if len(families) < 2 || len(service.Spec.ClusterIPs) < 2 {
		return nil
	}
	return []evidence.Limit{{ID: evidence.FamiliesNotAsked, Text: fmt.Sprintf("of %s %s is asked, and not asked: %s (%s)", thingOf(service),
		families[0], families[1], service.Spec.ClusterIPs[1])}}
}

// probeAlone returns the limit of requests for nothing but what a probe of the pod asks for at that port. A server of its own may answer
// that, such as a management port's, and go on when business requests fail.
func probeAlone(pod corev1.PodSpec, port corev1.ServicePort, path string) []evidence.Limit {
	path, _, _ = strings.Cut(path, "?")
	asks := func(p *corev1.Probe) bool {
		return p != nil && p.HTTPGet != nil && "/"+strings.TrimPrefix(p.HTTPGet.Path, "/") == path &&
			userapp.PortNumber(pod, p.HTTPGet.Port) == userapp.PortNumber(pod, userapp.TargetOf(port))
	}
	if !slices.ContainsFunc(userapp.Serving(pod), func(c corev1.Container) bool {
		return asks(c.ReadinessProbe) || asks(c.LivenessProbe) || asks(c.StartupProbe)
	}) {
		return nil
	}
	return []evidence.Limit{{ID: evidence.ProbeAlone,
		Text: fmt.Sprintf("only %s is asked, which is a probe's path: requests for others may fail where it is answered", path)}}
}
