package namespace

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// newFake returns a fake client of client-go that also deletes collections of pods and secrets by label, which the fake ignores.
func newFake(t *testing.T, objects ...runtime.Object) *fake.Clientset {
	t.Helper()
	client := fake.NewClientset(objects...)
	client.PrependReactor("delete-collection", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		kind, ok := map[string]string{"pods": "Pod", "secrets": "Secret"}[action.GetResource().Resource]
		if !ok {
			return true, nil, nil
		}
		list, err := client.Tracker().List(action.GetResource(), corev1.SchemeGroupVersion.WithKind(kind), action.GetNamespace())
		if err != nil {
			return true, nil, err
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			return true, nil, err
		}
		which := action.(k8stesting.DeleteCollectionAction).GetListRestrictions().Labels
		for _, item := range items {
			object, err := meta.Accessor(item)
			if err == nil && which.Matches(labels.Set(object.GetLabels())) {
				err = client.Tracker().Delete(action.GetResource(), object.GetNamespace(), object.GetName())
			}
			if err != nil {
				return true, nil, err
			}
		}
		return true, nil, nil
	})
	return client
}
