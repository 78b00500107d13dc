package userapp

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TargetOf is the port of pods that a port of their Service leads to.
func TargetOf(p corev1.ServicePort) intstr.IntOrString {
	return cmp.Or(p.TargetPort, intstr.FromInt32(p.Port))
}

// PortNumber is that of a port which a container of a pod may name; 0 if none has the name.
func PortNumber(pod corev1.PodSpec, port intstr.IntOrString) int32 {
	if port.Type == intstr.Int {
		return port.IntVal
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) { // sidecars among them
		for _, p := range c.Ports {
			if p.Name == port.StrVal {
				return p.ContainerPort
			}
		}
	}
	return 0
}

// Answers is the container of a pod that has the port of its Service; the first if none says so.
func Answers(pod corev1.PodSpec, port corev1.ServicePort) corev1.Container {
	target := PortNumber(pod, TargetOf(port))
	has := func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == target })
	}
	return pod.Containers[max(0, slices.IndexFunc(pod.Containers, has))]
}
