package observe

import (
	"context"
	"strings"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/evidence"
)

// A Right is the permission to list and watch the objects of a kind.
type Right struct {
	Group, Resource string
	Place           Place
	Name            string // of the only object; empty: all objects
	Needed          bool   // otherwise a recording without it only sees less
}

// A Place is where objects are.
type Place int

// The places.
const (
	OfApp     Place = iota // the namespace of the app
	OfSystem               // kube-system
	OfCluster              // everywhere
)

// Verbs returns what a Right permits.
func Verbs() []string { return []string{"list", "watch"} }

// Rights returns the rights that a Watch uses.
func Rights() (rights []Right) {
	for _, k := range None(time.Time{}, nil).watched(newFactories(nil, "")) {
		rights = append(rights, k.Right)
	}
	return rights
}

// Allowed asks the API server whether we may do something.
func Allowed(ctx context.Context, client kubernetes.Interface, what authorizationv1.ResourceAttributes) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &what}}
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	return err == nil && answer.Status.Allowed, err
}

// permitted returns those of the kinds that we may list and watch, and notes the others. A kind of which the API server does not say that
// is tried.
func (w *Watch) permitted(ctx context.Context, client kubernetes.Interface, kinds []watched) (may []watched) {
	denied := make([][]string, len(kinds))
	var asking sync.WaitGroup
	for i, k := range kinds {
		asking.Go(func() {
			for _, verb := range Verbs() {
				allowed, err := Allowed(ctx, client, authorizationv1.ResourceAttributes{Namespace: k.Place.namespace(w.namespace), Verb: verb,
					Group: k.Group, Resource: k.Resource, Name: k.Name})
				if !allowed && err == nil {
					denied[i] = append(denied[i], verb)
				}
			}
		})
	}
	asking.Wait()
	for i, k := range kinds {
		if len(denied[i]) == 0 {
			may = append(may, k)
		} else {
			w.noteUnwatched(k.Right, denied[i])
		}
	}
	return may
}

// withoutRight returns what the informer of a kind that a recording can do without tells its errors to, and a channel that the first one
// closes. If the right to it was taken away, the kind is noted as not watched.
func (w *Watch) withoutRight(r Right) (broke func(error), failed chan struct{}) {
	failed = make(chan struct{})
	var first, forbidden sync.Once
	return func(err error) {
		if apierrors.IsForbidden(err) {
			forbidden.Do(func() { w.noteUnwatched(r, Verbs()) })
		}
		first.Do(func() { close(failed) })
	}, failed
}

func (w *Watch) noteUnwatched(r Right, verbs []string) {
	kind := strings.TrimSuffix(r.Resource+"."+r.Group, ".")
	if r.Name != "" {
		kind += " " + r.Name
	}
	w.Note(evidence.Event{Kind: evidence.Unwatched, Object: r.Resource,
		Detail: "missing permission to " + strings.Join(verbs, ", ") + " " + kind + " in namespace " + r.Place.namespace(w.namespace)})
}

// namespace returns the namespace of objects, given that of the app; empty for those of the whole cluster.
func (p Place) namespace(app string) string {
	switch p {
	case OfApp:
		return app
	case OfSystem:
		return metav1.NamespaceSystem
	default:
		return metav1.NamespaceAll
	}
}
