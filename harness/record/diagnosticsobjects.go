package record

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/secret"
)

// A kind lists the objects of one kind.
type kind struct {
	name string
	list func(context.Context) (runtime.Object, error)
}

// kinds returns the kinds to collect, in reading order, without Secrets and ConfigMaps.
func (s source) kinds() []kind {
	core, apps := s.Client.CoreV1(), s.Client.AppsV1()
	return []kind{
		listing("events", core.Events(s.Namespace).List),
		listing("endpointslices", s.Client.DiscoveryV1().EndpointSlices(s.Namespace).List),
		listing("pods", core.Pods(s.Namespace).List),
		listing("services", core.Services(s.Namespace).List),
		listing("deployments", apps.Deployments(s.Namespace).List),
		listing("replicasets", apps.ReplicaSets(s.Namespace).List),
		listing("statefulsets", apps.StatefulSets(s.Namespace).List),
		listing("daemonsets", apps.DaemonSets(s.Namespace).List),
		listing("horizontalpodautoscalers", s.Client.AutoscalingV2().HorizontalPodAutoscalers(s.Namespace).List),
		listing("nodes", core.Nodes().List),
	}
}

func listing[L runtime.Object](name string, list func(context.Context, metav1.ListOptions) (L, error)) kind {
	return kind{name, func(ctx context.Context) (runtime.Object, error) { return list(ctx, metav1.ListOptions{}) }}
}

func (s source) objects(ctx context.Context, f *folder) {
	for _, kind := range s.kinds() {
		list, err := kind.list(ctx)
		var text []byte
		if err == nil {
			text, err = toYAML(list)
		}
		f.add(kind.name+".yaml", text, err)
	}
}

// toYAML returns an object as YAML without secrets, managed fields, the last applied configuration, which repeats the object, and
// annotations of nodes, where their owner's programs keep what they were started with.
func toYAML(object runtime.Object) ([]byte, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	dropped := []string{"managedFields", corev1.LastAppliedConfigAnnotation}
	if _, nodes := object.(*corev1.NodeList); nodes {
		dropped = append(dropped, "annotations")
	}
	drop(fields, dropped)
	secret.Object(fields)
	return yaml.Marshal(fields)
}

// drop removes fields at any depth.
func drop(value any, names []string) {
	switch value := value.(type) {
	case []any:
		for _, entry := range value {
			drop(entry, names)
		}
	case map[string]any:
		for _, name := range names {
			delete(value, name)
		}
		for _, field := range value {
			drop(field, names)
		}
	}
}
