package autoscale

import (
	"context"
	"encoding/json"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kubectl/pkg/util"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
)

// An apply writes a manifest as a kind of client does, and returns what the API server made of it.
type apply func(context.Context, *harness.Steps, *appsv1.Deployment) *appsv1.Deployment

// Field managers, the names that clients write under.
const (
	kubectl  = "kubectl-client-side-apply" // kubectl v0.37, pkg/cmd/apply/apply.go, FieldManagerClientSideApply
	pipeline = "pipeline"                  // our own choice
)

// manifest returns the app's manifest at a version; it names no replicas if replicas is nil.
func manifest(steps *harness.Steps, version string, replicas *int32) *appsv1.Deployment {
	d := fixtures.App{MinReady: time.Second}.Deployment(steps.Into, version)
	d.Spec.Replicas = replicas
	return d
}

// clientSide does what `kubectl apply` does: it writes what the manifest says, and removes what the manifest said when it was last
// applied and no longer says (kubectl v0.37, pkg/cmd/apply/patcher.go). What it never said stays.
func clientSide(ctx context.Context, steps *harness.Steps, d *appsv1.Deployment) *appsv1.Deployment {
	deployments := steps.Client.AppsV1().Deployments(steps.Namespace)
	live, err := deployments.Get(ctx, d.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		harness.Check(util.CreateApplyAnnotation(d, unstructured.UnstructuredJSONScheme))
		return harness.Must(deployments.Create(ctx, d, metav1.CreateOptions{FieldManager: kubectl}))
	}
	harness.Check(err)
	lastApplied := harness.Must(util.GetOriginalConfiguration(live))
	wanted := harness.Must(util.GetModifiedConfiguration(d, true, unstructured.UnstructuredJSONScheme))
	current := harness.Must(runtime.Encode(unstructured.UnstructuredJSONScheme, live))
	schema := harness.Must(strategicpatch.NewPatchMetaFromStruct(appsv1.Deployment{}))
	patch := harness.Must(strategicpatch.CreateThreeWayMergePatch(lastApplied, wanted, current, schema, true))
	return harness.Must(deployments.Patch(ctx, d.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{FieldManager: kubectl}))
}

// serverSide does what `kubectl apply --server-side` does, as the field manager pipeline.
func serverSide(ctx context.Context, steps *harness.Steps, d *appsv1.Deployment) *appsv1.Deployment {
	return harness.Must(applyServerSide(ctx, steps, d, false))
}

// serverSideForced also takes fields over from their owners, as `--force-conflicts` does.
func serverSideForced(ctx context.Context, steps *harness.Steps, d *appsv1.Deployment) *appsv1.Deployment {
	return harness.Must(applyServerSide(ctx, steps, d, true))
}

func applyServerSide(ctx context.Context, steps *harness.Steps, d *appsv1.Deployment, force bool) (*appsv1.Deployment, error) {
	body := harness.Must(json.Marshal(d))
	return steps.Client.AppsV1().Deployments(steps.Namespace).Patch(ctx, d.Name, types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: pipeline, Force: new(force)})
}
