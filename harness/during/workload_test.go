package during

import (
	"cmp"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Owners that own each other come to an end, and one of an unknown kind is told.
func TestOwners(t *testing.T) {
	owned := func(kind string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{}
		o.SetOwnerReferences([]metav1.OwnerReference{{Kind: kind, Name: "web", Controller: new(true)}})
		return o
	}
	pods := []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{OwnerReferences: owned("A").GetOwnerReferences()}}}
	for _, row := range []struct {
		sentence string
		owners   map[string]*unstructured.Unstructured // by kind; nil: the cluster does not have the kind
		want     []string
		said     string
	}{
		{"one owner", map[string]*unstructured.Unstructured{"A": {}}, []string{"a web"}, ""},
		{"one above another", map[string]*unstructured.Unstructured{"A": owned("B"), "B": {}}, []string{"b web"}, ""},
		{"two that own each other", map[string]*unstructured.Unstructured{"A": owned("B"), "B": owned("A")}, []string{"b web"}, ""},
		{"one of a kind that is gone", map[string]*unstructured.Unstructured{"A": owned("C")}, []string{"a web"},
			"C web, which owns pods, is not watched: the cluster has no such kind"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			said := ""
			read := func(o metav1.OwnerReference) (workload, *unstructured.Unstructured, error) {
				if row.owners[o.Kind] == nil {
					return workload{}, nil, &meta.NoKindMatchError{}
				}
				return workload{kind: o.Kind, name: o.Name}, row.owners[o.Kind], nil
			}
			all, err := topmost(pods, func(line string) { said += line }, read)
			var got []string
			for _, w := range all {
				got = append(got, w.String())
			}
			if err != nil || !slices.Equal(got, row.want) || said != row.said {
				t.Errorf("%v, %v, said %q", got, err, said)
			}
		})
	}
}

func TestWhatAWorkloadLacks(t *testing.T) {
	for _, row := range []struct{ sentence, object, want string }{
		{"a Deployment that is rolled out",
			`{metadata: {generation: 2}, spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3}}`, ""},
		{"one that was just restarted",
			`{metadata: {generation: 3}, spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3}}`,
			"has a change that its controller has not seen yet"},
		{"one of which two pods are new",
			`{metadata: {generation: 3}, spec: {replicas: 3}, status: {observedGeneration: 3, replicas: 4, updatedReplicas: 2, availableReplicas: 3}}`,
			"has 2 of 3 pods updated"},
		{"one whose last new pod is not available",
			`{metadata: {generation: 3}, spec: {replicas: 3}, status: {observedGeneration: 3, replicas: 3, updatedReplicas: 3, availableReplicas: 2}}`,
			"has 2 of 3 pods available"},
		{"one with an old pod that is not deleted yet",
			`{metadata: {generation: 3}, spec: {replicas: 3}, status: {observedGeneration: 3, replicas: 4, updatedReplicas: 3, availableReplicas: 4}}`,
			"has 4 pods, 1 too many"},
		{"one without replicas has one pod",
			`{metadata: {generation: 1}, status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1}}`, "has 0 of 1 pods available"},
		{"one that is paused in the middle stays as it is",
			`{metadata: {generation: 3}, spec: {replicas: 3, paused: true}, status: {observedGeneration: 3, replicas: 4, updatedReplicas: 1, availableReplicas: 4}}`, ""},
		{"one that is scaled to 0",
			`{metadata: {generation: 3}, spec: {replicas: 0}, status: {observedGeneration: 3, replicas: 0}}`, ""},
		{"a StatefulSet updates down to its partition",
			`{metadata: {generation: 3}, spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 2}}}, ` +
				`status: {observedGeneration: 3, replicas: 3, updatedReplicas: 1, availableReplicas: 3}}`, ""},
		{"one that updates nothing by itself",
			`{metadata: {generation: 3}, spec: {replicas: 3, updateStrategy: {type: OnDelete}}, ` +
				`status: {observedGeneration: 3, replicas: 3, availableReplicas: 3}}`, ""},
		{"a DaemonSet counts nodes", `{metadata: {generation: 2}, spec: {}, ` +
			`status: {observedGeneration: 2, desiredNumberScheduled: 3, currentNumberScheduled: 3, updatedNumberScheduled: 1, numberAvailable: 2}}`,
			"has 1 of 3 pods updated"},
		{"a DaemonSet that was just created", `{metadata: {generation: 1}, spec: {}, ` +
			`status: {desiredNumberScheduled: 0, currentNumberScheduled: 0, numberReady: 0}}`, "has a change that its controller has not seen yet"},
		{"an Argo Rollout writes its generation as text",
			`{metadata: {generation: 7}, spec: {replicas: 2}, status: {observedGeneration: "7", replicas: 2, updatedReplicas: 2, availableReplicas: 2}}`, ""},
		{"an object of another kind, whose controller says nothing of generations",
			`{kind: CloneSet, metadata: {generation: 7}, spec: {replicas: 2}, status: {replicas: 2, updatedReplicas: 1, availableReplicas: 2}}`, "has 1 of 2 pods updated"},
		{"a ReplicaSet updates nothing", `{kind: ReplicaSet, metadata: {generation: 7}, spec: {replicas: 2}, status: {observedGeneration: 7, replicas: 2, availableReplicas: 2}}`, ""},
		{"an object that is not a workload", `{kind: Service, metadata: {generation: 7}, spec: {template: {}}, status: {observedGeneration: 7}}`, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var object map[string]any
			if err := yaml.Unmarshal([]byte(row.object), &object); err != nil {
				t.Fatal(err)
			}
			kind, _ := object["kind"].(string)
			if got := LacksOf(cmp.Or(kind, "Deployment"), whole(object).(map[string]any)); got != row.want {
				t.Errorf("it lacks %q, want %q", got, row.want)
			}
		})
	}
}

// whole turns numbers into int64, as API machinery does.
func whole(value any) any {
	switch v := value.(type) {
	case float64:
		return int64(v)
	case map[string]any:
		for key := range v {
			v[key] = whole(v[key])
		}
	}
	return value
}
