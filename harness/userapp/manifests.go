package userapp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/rollcall/fixtures"
)

// load reads the objects of one manifest.
func (a *App) load(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: cannot be read: %w", file, err)
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for n := 1; ; n++ {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		object, kind, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			a.leaveOut(fmt.Sprintf("document %d of %s", n, filepath.Base(file)))
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		a.keep(object, kind.Kind)
	}
}

// keep stores an object, without the fields that depend on the cluster it comes from.
func (a *App) keep(object runtime.Object, kind string) {
	meta, ok := object.(metav1.Object)
	if !ok {
		a.leaveOut(kind)
		return
	}
	name, namespace := meta.GetName(), meta.GetNamespace()
	meta.SetNamespace("")
	meta.SetUID("")
	meta.SetResourceVersion("")
	meta.SetOwnerReferences(nil)
	labels := maps.Clone(meta.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[fixtures.ManagedByLabel] = fixtures.Owner
	meta.SetLabels(labels)
	switch o := object.(type) {
	case *appsv1.Deployment, *appsv1.StatefulSet:
		if kind == a.document.Workload.Kind && name == a.document.Workload.Name {
			a.workload, a.namespace = object, namespace
			return
		}
		a.objects = append(a.objects, object)
	case *corev1.Service:
		if o.Spec.Type != corev1.ServiceTypeExternalName {
			o.Spec = inCluster(o.Spec)
		}
		if name == a.Service() {
			a.service = o
			return
		}
		a.objects = append(a.objects, object)
	case *corev1.ConfigMap, *corev1.Secret, *corev1.ServiceAccount, *policyv1.PodDisruptionBudget:
		a.objects = append(a.objects, object)
	case *autoscalingv2.HorizontalPodAutoscaler:
		if o.Spec.ScaleTargetRef.Kind == a.document.Workload.Kind && o.Spec.ScaleTargetRef.Name == a.document.Workload.Name {
			a.facts.Autoscaled = name
		}
		a.objects = append(a.objects, object)
	default:
		a.leaveOut(kind + " " + name)
	}
}

// inCluster returns what clients in a cluster need of a Service. The API server rejects much of the rest, such as an externalTrafficPolicy,
// without an address outside the cluster.
func inCluster(s corev1.ServiceSpec) corev1.ServiceSpec {
	kept := corev1.ServiceSpec{Selector: s.Selector, Ports: s.Ports, IPFamilies: s.IPFamilies, IPFamilyPolicy: s.IPFamilyPolicy,
		SessionAffinity: s.SessionAffinity, SessionAffinityConfig: s.SessionAffinityConfig, PublishNotReadyAddresses: s.PublishNotReadyAddresses,
		InternalTrafficPolicy: s.InternalTrafficPolicy, TrafficDistribution: s.TrafficDistribution}
	if s.ClusterIP == corev1.ClusterIPNone {
		kept.ClusterIP = s.ClusterIP
	}
	for i := range kept.Ports {
		kept.Ports[i].NodePort = 0
	}
	return kept
}

func (a *App) leaveOut(what string) {
	a.facts.Adapted = append(a.facts.Adapted, what+" is left out")
}
