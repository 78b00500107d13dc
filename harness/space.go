package harness

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"rollcall/fixtures"
	"rollcall/harness/poll"
)

// Spaces are the namespaces that recordings take place in: made for each and removed after it, or given to us by the
// owner of the cluster, who lets us make none.
type spaces struct{ given chan string } // nil: made

func newSpaces(given []string) spaces {
	if len(given) == 0 {
		return spaces{}
	}
	s := spaces{given: make(chan string, len(given))}
	for _, name := range given {
		s.given <- name
	}
	return s
}

// take waits for a space that nobody uses.
func (s spaces) take(ctx context.Context) (space, error) {
	if s.given == nil {
		return space{name: "rollcall-" + strings.ToLower(rand.Text()[:8])}, nil
	}
	select {
	case name := <-s.given:
		return space{name, true}, nil
	case <-ctx.Done():
		return space{}, context.Cause(ctx)
	}
}

// put gives back a space that is empty again.
func (s spaces) put(sp space) {
	if sp.given {
		s.given <- sp.name
	}
}

// A space is one namespace, and the one of its observers beside it.
type space struct {
	name  string
	given bool
}

// observers is the namespace of the observers of the nodes' rules, which the scenario's own does not admit.
func (s space) observers() string { return s.name + "-rules" }

// lifetime is after which a namespace that is still there belongs to a run that died.
const lifetime = time.Hour

// open makes the namespace, for pods of a standard, or sees that the one given is empty.
func (s space) open(ctx context.Context, client kubernetes.Interface, session, standard string) error {
	return s.make(ctx, client, fixtures.Namespace(s.name, session, standard, time.Now().Add(lifetime)))
}

// openObservers makes the observers' namespace.
func (s space) openObservers(ctx context.Context, client kubernetes.Interface, session string) error {
	return s.make(ctx, client, fixtures.Namespace(s.observers(), session, "privileged", time.Now().Add(lifetime)))
}

func (s space) make(ctx context.Context, client kubernetes.Interface, namespace *corev1.Namespace) error {
	if !s.given {
		_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		return err
	}
	pods, err := client.CoreV1().Pods(namespace.Name).List(ctx, metav1.ListOptions{Limit: 1})
	if err == nil && len(pods.Items) > 0 {
		err = fmt.Errorf("namespace %s was not empty: pod %s is there", namespace.Name, pods.Items[0].Name)
	}
	return err
}

// leave takes everything of ours, by its label, out of a namespace that was given, and begins to remove one that was not.
func (s space) leave(ctx context.Context, client kubernetes.Interface, namespace string) error {
	if !s.given {
		return empty(ctx, client, namespace)
	}
	if namespace == s.observers() {
		if err := endPods(ctx, client, namespace, fixtures.Ours()); err != nil {
			return fmt.Errorf("clean up: %w", err)
		}
		return nil
	}
	if err := end(ctx, client, namespace, fixtures.Ours()); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	if err := clear(ctx, client, namespace); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}

// clear removes what of ours neither runs nor listens, which goes by itself with a namespace that is removed, and returns
// when the endpoints are gone too, which their controller removes.
func clear(ctx context.Context, client kubernetes.Interface, namespace string) error {
	background := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}
	var left []error
	for _, kind := range []interface {
		DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	}{client.CoreV1().Secrets(namespace), client.CoreV1().ResourceQuotas(namespace), client.AutoscalingV2().HorizontalPodAutoscalers(namespace),
		client.CoreV1().ConfigMaps(namespace), client.CoreV1().ServiceAccounts(namespace), client.PolicyV1().PodDisruptionBudgets(namespace)} {
		if err := kind.DeleteCollection(ctx, background, fixtures.Ours()); !apierrors.IsForbidden(err) { // who may not remove any made none
			left = append(left, err)
		}
	}
	left = append(left, poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		slices, err := client.DiscoveryV1().EndpointSlices(namespace).List(ctx, metav1.ListOptions{})
		return err == nil && len(slices.Items) == 0, err
	}))
	return errors.Join(left...)
}
