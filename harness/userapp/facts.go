package userapp

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"rollcall/fixtures"
)

// validate checks that the objects fit together.
func (a *App) validate() error {
	if a.service.Spec.ClusterIP == corev1.ClusterIPNone {
		return fmt.Errorf("service: %s is headless, so that its clients choose pods themselves: name one with a ClusterIP", a.service.Name)
	}
	if len(a.service.Spec.Ports) == 0 {
		return fmt.Errorf("service: %s has no port", a.service.Name)
	}
	template := a.template()
	for key, value := range a.service.Spec.Selector {
		if template.Labels[key] != value {
			return fmt.Errorf("service: %s selects %s=%s, which the pods of %s do not have",
				a.service.Name, key, value, a.document.Workload.Name)
		}
	}
	for _, v := range []Version{a.document.Old, a.document.New} {
		if _, err := a.container(template, v); err != nil {
			return err
		}
	}
	return nil
}

// adapt changes the pod template for a run: images are not pulled again, and pods carry Rollcall's label.
func (a *App) adapt() {
	template := a.template()
	for _, containers := range [][]corev1.Container{template.Spec.InitContainers, template.Spec.Containers} {
		for i := range containers {
			if containers[i].ImagePullPolicy == corev1.PullAlways {
				containers[i].ImagePullPolicy = corev1.PullIfNotPresent
				a.facts.Adapted = append(a.facts.Adapted, "container "+containers[i].Name+" is pulled only where it is not present")
			}
		}
	}
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	template.Labels[fixtures.ManagedByLabel] = fixtures.Owner
}

// learn fills in the facts, from an app that is valid.
func (a *App) learn() {
	template := a.template()
	container, _ := a.container(template, a.document.Old)
	a.facts.Named = a.HTTP().Names()
	a.facts.Probed = container.ReadinessProbe != nil
	a.facts.Grace = time.Duration(ptr.Deref(template.Spec.TerminationGracePeriodSeconds, 30)) * time.Second
	a.facts.Replicas = int(a.replicas())
	if hook := container.Lifecycle; hook != nil && hook.PreStop != nil {
		if hook.PreStop.Sleep != nil {
			a.facts.PreStop = time.Duration(hook.PreStop.Sleep.Seconds) * time.Second
		} else {
			a.facts.OtherHook = true
		}
	}
	if d, ok := a.workload.(*appsv1.Deployment); ok {
		a.facts.Recreate = d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType
	}
}
