package userapp

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TargetOf returns the port of pods that a port of their Service leads to.
func TargetOf(p corev1.ServicePort) intstr.IntOrString {
	return cmp.Or(p.TargetPort, intstr.FromInt32(p.Port))
}

// PortNumber returns the number of a port, which may be the name of a container's port; 0 if no container has that name.
func PortNumber(pod corev1.PodSpec, port intstr.IntOrString) int32 {
	if port.Type == intstr.Int {
		return port.IntVal
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) { // sidecars are init containers
		for _, p := range c.Ports {
			if p.Name == port.StrVal {
				return p.ContainerPort
			}
		}
	}
	return 0
}

// Answers returns the container of a pod that declares the port of the Service, or else the first container.
func Answers(pod corev1.PodSpec, port corev1.ServicePort) corev1.Container {
	target := PortNumber(pod, TargetOf(port))
	has := func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == target })
	}
	return pod.Containers[max(0, slices.IndexFunc(pod.Containers, has))]
}
