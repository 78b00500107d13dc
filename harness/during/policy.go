package during

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A caller is a pod that asks, with the labels of its namespace.
type caller struct {
	*corev1.Pod
	namespace map[string]string
}

// keptOut are the names of the policies that select a pod of their namespace, if none of them admits the caller to its port: what one
// admits is admitted, and a pod that none selects admits everybody (networking/v1, types.go).
func keptOut(policies []networkingv1.NetworkPolicy, from caller, to *corev1.Pod, port int32) (names []string) {
	for _, p := range policies {
		ingress := len(p.Spec.PolicyTypes) == 0 || slices.Contains(p.Spec.PolicyTypes, networkingv1.PolicyTypeIngress)
		if !ingress || !selects(&p.Spec.PodSelector, to.Labels) {
			continue
		}
		for _, rule := range p.Spec.Ingress {
			if admitsTo(rule.Ports, to, port) && admitsFrom(rule.From, from, p.Namespace) {
				return nil
			}
		}
		names = append(names, p.Name)
	}
	return names
}

func admitsTo(ports []networkingv1.NetworkPolicyPort, to *corev1.Pod, port int32) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		switch {
		case p.Protocol != nil && *p.Protocol != corev1.ProtocolTCP:
			return false
		case p.Port == nil:
			return true
		case p.Port.Type == intstr.String:
			return slices.ContainsFunc(containerPorts(to), func(c corev1.ContainerPort) bool {
				return c.Name == p.Port.StrVal && c.ContainerPort == port
			})
		case p.EndPort != nil:
			return p.Port.IntVal <= port && port <= *p.EndPort
		default:
			return p.Port.IntVal == port
		}
	})
}

func admitsFrom(peers []networkingv1.NetworkPolicyPeer, from caller, namespace string) bool {
	return len(peers) == 0 || slices.ContainsFunc(peers, func(p networkingv1.NetworkPolicyPeer) bool {
		if p.IPBlock != nil {
			return within(p.IPBlock.CIDR, from.Status.PodIP) &&
				!slices.ContainsFunc(p.IPBlock.Except, func(cidr string) bool { return within(cidr, from.Status.PodIP) })
		}
		there := from.Namespace == namespace
		if p.NamespaceSelector != nil {
			there = selects(p.NamespaceSelector, from.namespace)
		}
		return there && (p.PodSelector == nil || selects(p.PodSelector, from.Labels))
	})
}

func within(cidr, address string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	ip, unknown := netip.ParseAddr(address)
	return err == nil && unknown == nil && prefix.Contains(ip)
}

func selects(selector *metav1.LabelSelector, of map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(of))
}
