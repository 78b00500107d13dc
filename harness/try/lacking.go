package try

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/manifest"
)

// foreign returns the objects of kinds that neither a new Kubernetes cluster nor a CustomResourceDefinition among them has.
func foreign(objects []manifest.Object) (found []manifest.Object) {
	extensions := []string{"apiextensions.k8s.io", "apiregistration.k8s.io"} // which the scheme of clients lacks
	for _, o := range objects {
		is := o.GroupVersionKind()
		defined := slices.ContainsFunc(objects, func(by manifest.Object) bool { return defines(by, is) })
		if !scheme.Scheme.Recognizes(is) && !defined && !slices.Contains(extensions, is.Group) {
			found = append(found, o)
		}
	}
	return found
}

// unmet returns a text for each workload and pod that cannot start without a Secret or a ConfigMap that is not among all objects.
func unmet(workloads, all []manifest.Object) (texts []string) {
	has := map[string]bool{}
	for _, o := range all {
		has[o.Namespace()+"/"+o.String()] = true
	}
	for _, o := range workloads {
		lacks := slices.DeleteFunc(needs(manifest.PodOf(o)), func(name string) bool {
			return has[o.Namespace()+"/"+name] || name == "ConfigMap kube-root-ca.crt" // which every namespace has
		})
		if len(lacks) > 0 {
			texts = append(texts, fmt.Sprintf("%s refers to %s, which no manifest has", o, strings.Join(lacks, ", ")))
		}
	}
	return texts
}

// needs returns the Secrets and ConfigMaps without which the containers of a pod do not start, sorted.
func needs(pod corev1.PodSpec) []string {
	names := map[string]bool{}
	need := func(name string, optional *bool) { names[name] = names[name] || !ptr.Deref(optional, false) }
	secret := func(name string, optional *bool) { need("Secret "+name, optional) }
	config := func(name string, optional *bool) { need("ConfigMap "+name, optional) }
	for _, v := range pod.Volumes {
		if v.Secret != nil {
			secret(v.Secret.SecretName, v.Secret.Optional)
		}
		if v.ConfigMap != nil {
			config(v.ConfigMap.Name, v.ConfigMap.Optional)
		}
		for _, s := range ptr.Deref(v.Projected, corev1.ProjectedVolumeSource{}).Sources {
			if s.Secret != nil {
				secret(s.Secret.Name, s.Secret.Optional)
			}
			if s.ConfigMap != nil {
				config(s.ConfigMap.Name, s.ConfigMap.Optional)
			}
		}
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		for _, from := range c.EnvFrom {
			if from.SecretRef != nil {
				secret(from.SecretRef.Name, from.SecretRef.Optional)
			}
			if from.ConfigMapRef != nil {
				config(from.ConfigMapRef.Name, from.ConfigMapRef.Optional)
			}
		}
		for _, e := range c.Env {
			from := ptr.Deref(e.ValueFrom, corev1.EnvVarSource{})
			if from.SecretKeyRef != nil {
				secret(from.SecretKeyRef.Name, from.SecretKeyRef.Optional)
			}
			if from.ConfigMapKeyRef != nil {
				config(from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Optional)
			}
		}
	}
	maps.DeleteFunc(names, func(_ string, needed bool) bool { return !needed })
	return slices.Sorted(maps.Keys(names))
}

// injections are the labels and annotations of pods or namespaces by which a mesh takes pods in. An empty value stands for any.
var injections = []struct{ key, value string }{
	{"sidecar.istio.io/inject", "true"}, {"istio-injection", "enabled"}, {"linkerd.io/inject", "enabled"}, {"linkerd.io/inject", "ingress"},
	{"istio.io/dataplane-mode", "ambient"}, {"istio.io/rev", ""},
}

// injected returns the label or annotation that has a mesh add a sidecar to the app's pods; empty if there is none.
func (a *App) injected() string {
	said := map[string]string{}
	for _, o := range a.Objects {
		if o.GetKind() == "Namespace" && o.GetName() == a.service.Namespace {
			maps.Copy(said, o.GetAnnotations())
			maps.Copy(said, o.GetLabels())
		}
	}
	maps.Copy(said, a.template.Annotations)
	maps.Copy(said, a.template.Labels)
	if said["sidecar.istio.io/inject"] == "false" {
		delete(said, "istio-injection")
	}
	for _, of := range injections {
		if value, labelled := said[of.key]; labelled && (of.value == "" || value == of.value) {
			return of.key + ": " + value
		}
	}
	return ""
}
