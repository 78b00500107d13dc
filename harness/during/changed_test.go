package during

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
)

// What of the app somebody changed is noted at the end, whoever did that and when; what a controller reports is not.
func TestWhatOfAnAppWasChanged(t *testing.T) {
	kind := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	for _, row := range []struct {
		sentence string
		underWay string
		does     func(t *testing.T, a *userApp)
		want     map[string]string // facts
	}{
		{"nothing was done", "", func(*testing.T, *userApp) {}, map[string]string{}},
		{"the workload reports progress", "", func(t *testing.T, a *userApp) {
			edit(t, a.workloads[0], func(o *unstructured.Unstructured) { o.Object["status"] = map[string]any{"replicas": int64(2)} })
		}, map[string]string{}},
		{"the workload has another template", "", func(t *testing.T, a *userApp) {
			edit(t, a.workloads[0], func(o *unstructured.Unstructured) { o.SetGeneration(2) })
		}, map[string]string{evidence.AppChanged: "deployment web"}},
		{"it was deleted and made anew", "", func(t *testing.T, a *userApp) {
			edit(t, a.workloads[0], func(o *unstructured.Unstructured) { o.SetUID("other") })
		}, map[string]string{evidence.AppChanged: "deployment web"}},
		{"the Service leads to other pods", "", func(t *testing.T, a *userApp) {
			service := webService()
			service.Spec.Selector = map[string]string{"app": "green"}
			if _, err := a.client.CoreV1().Services("shop").Update(t.Context(), service, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}, map[string]string{evidence.AppChanged: "service web"}},
		{"a rollout was under way before", "deployment web has 1 of 2 pods updated", func(*testing.T, *userApp) {},
			map[string]string{evidence.RolloutUnderWay: "deployment web has 1 of 2 pods updated"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			web := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment",
				"metadata": map[string]any{"namespace": "shop", "name": "web", "generation": int64(1)}}}
			client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), web)
			a := &userApp{client: fake.NewClientset(webService()), namespace: "shop", service: "web", underWay: row.underWay,
				workloads: []workload{{client.Resource(kind).Namespace("shop"), "Deployment", "web"}}}
			facts := map[string]string{}
			stage := disruption.Stage{Note: func(e evidence.Event) { facts[e.Object] = e.Detail }}
			noteChanges := (&maintenance{app: a}).followApp(t.Context(), stage)
			row.does(t, a)
			noteChanges()
			if !maps.Equal(facts, row.want) {
				t.Errorf("facts %v, want %v", facts, row.want)
			}
		})
	}
}

func webService() *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}}}
}

func edit(t *testing.T, w workload, change func(*unstructured.Unstructured)) {
	t.Helper()
	object, err := w.api.Get(t.Context(), w.name, metav1.GetOptions{})
	if err == nil {
		change(object)
		_, err = w.api.Update(t.Context(), object, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}
