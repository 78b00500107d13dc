package userapp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
)

// Of a workload only the fields that patches may change are recorded, of its plain containers and native sidecars.
func TestAddWorkload(t *testing.T) {
	live := &unstructured.Unstructured{}
	text := `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop", "uid": "u"},
		"spec": {"replicas": 3, "selector": {}, "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "34%"}},
			"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"terminationGracePeriodSeconds": 30, "initContainers": [
				{"name": "copy", "image": "web:1"}, {"name": "proxy", "image": "web:1", "restartPolicy": "Always"}], "containers": [
				{"name": "web", "image": "web:1", "env": [{"name": "TOKEN", "value": "secret"}], "livenessProbe": {"periodSeconds": 2}}]}}},
		"status": {"replicas": 3}}`
	if err := live.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	var got evidence.UserApp
	userapp.AddWorkload(&got, live.Object)
	want := evidence.UserApp{Replicas: 3, Unavailable: 1, Workload: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "shop"},
		"spec": map[string]any{"replicas": int64(3),
			"strategy": map[string]any{"rollingUpdate": map[string]any{"maxSurge": "25%", "maxUnavailable": "34%"}},
			"template": map[string]any{"spec": map[string]any{"terminationGracePeriodSeconds": int64(30),
				"initContainers": []any{map[string]any{"name": "proxy", "restartPolicy": "Always"}}, "containers": []any{
					map[string]any{"name": "web", "livenessProbe": map[string]any{"periodSeconds": int64(2)}}}}}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A rollout may remove as many pods as the workload says, or as Kubernetes defaults.
func TestHowManyPodsARolloutMayRemove(t *testing.T) {
	for _, row := range []struct {
		sentence string
		workload map[string]any
		want     evidence.UserApp
	}{
		{"a quarter of three is none", map[string]any{"kind": "Deployment", "spec": map[string]any{"replicas": int64(3)}},
			evidence.UserApp{Replicas: 3}},
		{"one of a StatefulSet", map[string]any{"kind": "StatefulSet", "spec": map[string]any{"replicas": int64(3)}},
			evidence.UserApp{Replicas: 3, Unavailable: 1}},
		{"all at once", map[string]any{"kind": "Deployment", "spec": map[string]any{"replicas": int64(3),
			"strategy": map[string]any{"rollingUpdate": map[string]any{"maxUnavailable": "100%"}}}}, evidence.UserApp{Replicas: 3, Unavailable: 3}},
		{"all before the first new one", map[string]any{"kind": "Deployment", "spec": map[string]any{"replicas": int64(3),
			"strategy": map[string]any{"type": "Recreate"}}}, evidence.UserApp{Replicas: 3, Recreate: true}},
	} {
		var got evidence.UserApp
		userapp.AddWorkload(&got, row.workload)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}
