package userapp

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// TargetOf returns the port of pods that a port of their Service leads to.
func TargetOf(p corev1.ServicePort) intstr.IntOrString {
	return cmp.Or(p.TargetPort, intstr.FromInt32(p.Port))
}

// IsSidecar reports whether an init container is a native sidecar, which runs as long as the pod (KEP-753).
func IsSidecar(init corev1.Container) bool {
	return ptr.Deref(init.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways
}

// Serving returns the containers that run while a pod serves: the plain ones, and then native sidecars.
func Serving(pod corev1.PodSpec) []corev1.Container {
	sidecars := slices.DeleteFunc(slices.Clone(pod.InitContainers), func(c corev1.Container) bool { return !IsSidecar(c) })
	return slices.Concat(pod.Containers, sidecars)
}

// PortNumber returns the number of a port, which may be the name of a container's port; 0 if no container that serves has that name. The
// EndpointSlice controller looks in the same order (endpointslice v0.37, utils.go, FindPort).
func PortNumber(pod corev1.PodSpec, port intstr.IntOrString) int32 {
	if port.Type == intstr.Int {
		return port.IntVal
	}
	for _, c := range Serving(pod) {
		for _, p := range c.Ports {
			if p.Name == port.StrVal {
				return p.ContainerPort
			}
		}
	}
	return 0
}

// Answers returns the container of a pod that declares the port of the Service, which may be a native sidecar, or else the first container.
func Answers(pod corev1.PodSpec, port corev1.ServicePort) corev1.Container {
	target, all := PortNumber(pod, TargetOf(port)), Serving(pod)
	has := func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == target })
	}
	return all[max(0, slices.IndexFunc(all, has))]
}

// Hooked returns the containers whose preStop hooks keep the one that answers from ending: itself and, if it is a native sidecar, the plain
// ones. A kubelet runs all hooks at once, and sends a sidecar SIGTERM when its own is over and the plain containers have ended
// (pkg/kubelet/kuberuntime, kuberuntime_container.go and kuberuntime_termination_order.go, v1.37).
func Hooked(pod corev1.PodSpec, answers corev1.Container) []corev1.Container {
	all := []corev1.Container{answers}
	if IsSidecar(answers) {
		all = slices.Concat(all, pod.Containers)
	}
	return slices.DeleteFunc(all, func(c corev1.Container) bool { return PreStop(c) == nil })
}

// HostPorts returns the ports of the node that a pod takes. With hostNetwork these are the ports of its containers.
func HostPorts(spec corev1.PodSpec) (ports []string) {
	for _, c := range Serving(spec) {
		for _, p := range c.Ports {
			switch {
			case p.HostPort > 0:
				ports = append(ports, fmt.Sprint(p.HostPort))
			case spec.HostNetwork:
				ports = append(ports, fmt.Sprint(p.ContainerPort))
			}
		}
	}
	return ports
}

// Container returns the container of a pod with a name; it is empty if no container that serves has it.
func Container(pod corev1.PodSpec, name string) (c corev1.Container) {
	for _, c := range Serving(pod) {
		if c.Name == name {
			return c
		}
	}
	return c
}
