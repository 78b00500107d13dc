package runner

import (
	"context"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/evidence"
)

const (
	// trialValid is how long the trial of a kept cluster counts, since its host may get busier. An hour is our own choice.
	trialValid = time.Hour

	trialAnnotation = "rollcall.local/trial" // on namespace kube-system
)

// A keptTrial is the trial of a cluster and the time of it, stored in the cluster.
type keptTrial struct {
	evidence.Trial
	At time.Time `json:"at"`
}

// trialOf returns the trial of a kept cluster, or nil if a new one is due: there was none, it is too old, or the cluster was slow.
func trialOf(ctx context.Context, client kubernetes.Interface, now time.Time) *keptTrial {
	system, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	var t keptTrial
	if json.Unmarshal([]byte(system.Annotations[trialAnnotation]), &t) != nil || t.Stretch != 1 || now.Sub(t.At) > trialValid {
		return nil
	}
	return &t
}

// keep writes the trial into the cluster.
func (t keptTrial) keep(ctx context.Context, client kubernetes.Interface) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{trialAnnotation: string(text)}}})
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Namespaces().Patch(ctx, metav1.NamespaceSystem, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
