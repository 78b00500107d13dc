package userapp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
)

// Of a workload only the fields that patches may change are recorded.
func TestAddWorkload(t *testing.T) {
	live := &unstructured.Unstructured{}
	text := `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop", "uid": "u"},
		"spec": {"replicas": 3, "selector": {}, "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "34%"}},
			"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"terminationGracePeriodSeconds": 30, "containers": [
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
			"template": map[string]any{"spec": map[string]any{"terminationGracePeriodSeconds": int64(30), "containers": []any{
				map[string]any{"name": "web", "livenessProbe": map[string]any{"periodSeconds": int64(2)}}}}}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
