package userapp

import (
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
)

// validate checks that the objects fit together.
func (a *App) validate() error {
	if a.service.Spec.ClusterIP == corev1.ClusterIPNone {
		return fmt.Errorf("service: %s is headless, so that its clients choose pods themselves: name one with a ClusterIP", a.service.Name)
	}
	if len(a.service.Spec.Ports) == 0 {
		return fmt.Errorf("service: %s has no port", a.service.Name)
	}
	if a.at.Of(a.service) == nil {
		return fmt.Errorf("service: %s has no port %s: it has %s", a.service.Name, a.at.Port, PortsText(a.service.Spec.Ports))
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

// adapt changes the pod template for a run: images that are present are not pulled, and pods get Rollcall's label.
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
	metav1.SetMetaDataLabel(&template.ObjectMeta, fixtures.ManagedByLabel, fixtures.Owner)
	if a.at.Port != "" {
		metav1.SetMetaDataAnnotation(&a.service.ObjectMeta, fixtures.PortAnnotation, strconv.Itoa(int(a.at.Of(a.service).Port)))
	}
}

// setFacts sets the facts of a valid app.
func (a *App) setFacts() {
	port := *fixtures.HTTPPort(a.service)
	f := FactsOf(a.template().Spec, port)
	f.Adapted, f.Autoscaled, f.Named = a.facts.Adapted, a.facts.Autoscaled, a.asked.Names()
	f.Asked = ProbeHandler(a.Path(), port, a.Secure(), a.asked)
	if object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(a.workload); err == nil {
		object["apiVersion"], object["kind"] = appsv1.SchemeGroupVersion.String(), a.document.Workload.Kind
		if a.namespace != "" {
			_ = unstructured.SetNestedField(object, a.namespace, "metadata", "namespace") // a map
		}
		AddWorkload(&f, object)
	}
	a.facts = f
}

// FactsOf returns the facts about pods behind a port of a Service. Of several containers it is the one with that port that answers.
func FactsOf(spec corev1.PodSpec, port corev1.ServicePort) (f evidence.UserApp) {
	answers := Answers(spec, port)
	f.Answers, f.Probed, f.Startup = answers.Name, answers.ReadinessProbe != nil, answers.StartupProbe != nil
	f.Grace = time.Duration(ptr.Deref(spec.TerminationGracePeriodSeconds, 30)) * time.Second
	if hook := PreStop(answers); hook != nil && hook.Sleep != nil {
		f.PreStop = time.Duration(hook.Sleep.Seconds) * time.Second
	} else {
		f.OtherHook = hook != nil
	}
	for _, c := range spec.Containers {
		if PreStop(c) == nil {
			f.Unhooked = append(f.Unhooked, c.Name)
		}
	}
	if len(f.Unhooked) == len(spec.Containers) {
		f.Unhooked = nil
	}
	return f
}

// PreStop returns the preStop hook of a container, or nil.
func PreStop(c corev1.Container) *corev1.LifecycleHandler {
	if c.Lifecycle == nil {
		return nil
	}
	return c.Lifecycle.PreStop
}
