package disruption

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
)

// cordonedBy is the annotation of a node that a run of Rollcall's cordoned, with its id: whoever finds the node knows who did that.
const cordonedBy = "rollcall.local/cordoned-by"

// CordonedBy returns the run that cordoned a node; the zero value if none of Rollcall's did.
func CordonedBy(node corev1.Node) fixtures.Run {
	if !node.Spec.Unschedulable {
		return fixtures.Run{}
	}
	return fixtures.OwnerOf(&metav1.ObjectMeta{Labels: map[string]string{fixtures.InstanceLabel: node.Annotations[cordonedBy]},
		Annotations: node.Annotations})
}

// cordon makes a node unschedulable, and writes on it for which run.
func cordon(ctx context.Context, client kubernetes.Interface, node string, by fixtures.Run) error {
	marked := metav1.ObjectMeta{}
	by.Own(&marked)
	return patchNode(ctx, client, node, true, map[string]any{cordonedBy: by.ID,
		fixtures.ExpiresAnnotation: marked.Annotations[fixtures.ExpiresAnnotation]})
}

// Uncordon makes a node schedulable that a run cordoned. One that no longer says so is somebody else's to uncordon, and is left as it is.
func Uncordon(ctx context.Context, client kubernetes.Interface, name string, by fixtures.Run) error {
	node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil || node.Annotations[cordonedBy] != by.ID {
		return err
	}
	return patchNode(ctx, client, name, false, map[string]any{cordonedBy: nil, fixtures.ExpiresAnnotation: nil})
}

func patchNode(ctx context.Context, client kubernetes.Interface, node string, unschedulable bool, annotations map[string]any) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations},
		"spec": map[string]any{"unschedulable": unschedulable}})
	if err == nil {
		_, err = client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	}
	return err
}
