package try

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/manifest"
)

// A claim is a PersistentVolumeClaim of the manifests, or one that a StatefulSet makes for a pod.
type claim struct {
	namespace, name, at string
	spec                corev1.PersistentVolumeClaimSpec
	pod                 int // the ordinal of the pod that it is for: those of one pod are on one node
}

// claimsOf returns the claims of manifests, but for those of block devices, and of volumes that they name.
func claimsOf(objects []manifest.Object) (all []claim) {
	for _, o := range objects {
		switch o.GetKind() {
		case "PersistentVolumeClaim":
			var is corev1.PersistentVolumeClaim
			if runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &is) == nil {
				all = append(all, claim{o.Namespace(), o.GetName(), o.At, is.Spec, 0})
			}
		case "StatefulSet":
			all = append(all, claimsOfSet(o)...)
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(c claim) bool {
		twice := seen[c.namespace+"/"+c.name] // in two versions of the manifests
		seen[c.namespace+"/"+c.name] = true
		return twice || c.name == "" || c.spec.VolumeName != "" || ptr.Deref(c.spec.VolumeMode, "") == corev1.PersistentVolumeBlock
	})
}

// claimsOfSet returns the claims that a StatefulSet makes: one for each template and pod.
func claimsOfSet(o manifest.Object) (all []claim) {
	replicas, given, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !given {
		replicas = 1 // apps/v1 defaults.go
	}
	from, _, _ := unstructured.NestedInt64(o.Object, "spec", "ordinals", "start")
	templates, _, _ := unstructured.NestedSlice(o.Object, "spec", "volumeClaimTemplates")
	shares := slices.ContainsFunc(manifest.PodOf(o).Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil })
	for i := range int(replicas) {
		for _, template := range templates {
			var is corev1.PersistentVolumeClaim
			content, _ := template.(map[string]any)
			if runtime.DefaultUnstructuredConverter.FromUnstructured(content, &is) != nil {
				continue
			}
			c := claim{o.Namespace(), fmt.Sprintf("%s-%s-%d", is.Name, o.GetName(), int(from)+i), o.At, is.Spec, i}
			if shares { // a claim of all its pods, which is on the first node
				c.pod = 0
			}
			all = append(all, c)
		}
	}
	return all
}
