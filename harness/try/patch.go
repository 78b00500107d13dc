package try

import (
	"context"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"example.com/rollcall/harness/manifest"
)

// patch changes the specification of a workload by a strategic merge. It is made here, and sent as a merge patch with whole lists, since
// the API server makes none for kinds of a CustomResourceDefinition; of these only the pod template can be changed.
func (t *target) patch(ctx context.Context, workload manifest.Object, spec map[string]any) error {
	api, err := t.api(workload)
	if err != nil {
		return err
	}
	live, err := t.ours(ctx, api, workload)
	if err != nil {
		return err
	}
	changes, err := mergePatch(live, spec)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": live.GetUID()}, "spec": changes})
	if err != nil {
		return err
	}
	return t.pastWebhooks(ctx, func() error {
		_, err := api.Patch(ctx, workload.GetName(), types.MergePatchType, text, metav1.PatchOptions{FieldManager: manager})
		return err
	})
}

// mergePatch returns the JSON merge patch that does the same to the specification of a workload as a strategic merge.
func mergePatch(live *unstructured.Unstructured, by map[string]any) (json.RawMessage, error) {
	before, err := json.Marshal(live.Object["spec"])
	if err != nil {
		return nil, err
	}
	spec, _, err := unstructured.NestedMap(live.Object, "spec")
	if err != nil {
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(spec, runtime.DeepCopyJSON(by), specOf(live.GroupVersionKind()))
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(merged)
	if err != nil {
		return nil, err
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch(before, after, before)
}

// specOf returns the type of a workload's specification, whose tags say how lists are merged.
func specOf(kind schema.GroupVersionKind) any {
	switch kind {
	case appsv1.SchemeGroupVersion.WithKind("Deployment"):
		return appsv1.DeploymentSpec{}
	case appsv1.SchemeGroupVersion.WithKind("StatefulSet"):
		return appsv1.StatefulSetSpec{}
	case appsv1.SchemeGroupVersion.WithKind("DaemonSet"):
		return appsv1.DaemonSetSpec{}
	default:
		return struct {
			Template corev1.PodTemplateSpec `json:"template"`
		}{}
	}
}
