package userapp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// templateOf returns the pod template of a Deployment or a StatefulSet.
func templateOf(workload runtime.Object) *corev1.PodTemplateSpec {
	if d, ok := workload.(*appsv1.Deployment); ok {
		return &d.Spec.Template
	}
	return &workload.(*appsv1.StatefulSet).Spec.Template
}

func (a *App) template() *corev1.PodTemplateSpec { return templateOf(a.workload) }

// container returns the container of the template that a version changes.
func (a *App) container(template *corev1.PodTemplateSpec, v Version) (*corev1.Container, error) {
	i := 0
	if v.Container != "" {
		i = slices.IndexFunc(template.Spec.Containers, func(c corev1.Container) bool { return c.Name == v.Container })
	}
	if i < 0 || i >= len(template.Spec.Containers) {
		return nil, fmt.Errorf("container: %s has no container %q", a.document.Workload.Name, v.Container)
	}
	return &template.Spec.Containers[i], nil
}

// templateAt returns the pod template of a version.
func (a *App) templateAt(v Version) corev1.PodTemplateSpec {
	template := a.template().DeepCopy()
	container, err := a.container(template, v)
	if err != nil {
		panic(err) // Read would have failed
	}
	container.Image = cmp.Or(v.Image, container.Image)
	for _, name := range slices.Sorted(maps.Keys(v.Env)) {
		i := slices.IndexFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == name })
		if i < 0 {
			i, container.Env = len(container.Env), append(container.Env, corev1.EnvVar{Name: name})
		}
		container.Env[i] = corev1.EnvVar{Name: name, Value: v.Env[name]}
	}
	template.Labels[VersionLabel] = v.Name
	return *template
}
