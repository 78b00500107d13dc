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
	// trialStands is for how long a trial tells what a kept cluster takes, which depends on what else its host does: our own choice.
	trialStands = time.Hour

	trialAnnotation = "rollcall.local/trial" // of namespace kube-system
)

// A keptTrial is the trial that a cluster had, and when.
type keptTrial struct {
	evidence.Trial
	At time.Time `json:"at"`
}

// trialOf is the trial of a kept cluster; nil if it is to be tried: it never was, that was too long ago, or it was slow then.
func trialOf(ctx context.Context, client kubernetes.Interface, now time.Time) *keptTrial {
	system, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	var t keptTrial
	if json.Unmarshal([]byte(system.Annotations[trialAnnotation]), &t) != nil || t.Stretch != 1 || now.Sub(t.At) > trialStands {
		return nil
	}
	return &t
}

// keep has the cluster carry a trial.
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
