package observe

import (
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// permitting returns the client of an API server with objects, which permits everything.
func permitting(objects ...runtime.Object) *fake.Clientset { return denying(nil, objects...) }

// denying is the same, but for what is denied, such as "list services".
func denying(denied []string, objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action k8stesting.Action) (bool, runtime.Object, error) {
		review := action.(k8stesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		of := review.Spec.ResourceAttributes
		review.Status.Allowed = !slices.Contains(denied, of.Verb+" "+of.Resource)
		return true, review, nil
	})
	return client
}
