package namespace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/verdict/phrase"
)

// A collection is a client for all objects of a kind in a namespace.
type collection interface {
	DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
}

// background has the garbage collector delete an object's dependents after the object.
var background = metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}

// Cleanup deletes the objects of the recording in its namespace and, if observers is set, in that of the observers. It deletes the
// namespaces too but does not wait until they are gone, because their controller waits 5 s before it starts (Kubernetes
// v1.36.3, pkg/controller/namespace/namespace_controller.go, namespaceDeletionGracePeriod): see [WaitGone].
func (l Lease) Cleanup(ctx context.Context, client kubernetes.Interface, observers bool) error {
	ctx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	var group errgroup.Group
	group.Go(func() error { return l.cleanup(ctx, client, l.Name) })
	if observers {
		group.Go(func() error { return l.cleanup(ctx, client, l.Observers()) })
	}
	switch err := group.Wait(); {
	case apierrors.IsUnauthorized(err):
		stays := l.Name
		if observers {
			stays += " and namespace " + l.Observers()
		}
		return fmt.Errorf("clean up: the credentials have expired, and what is in namespace %s stays: "+
			"log in again and run: rollcall clean with the same --context and --namespace", stays)
	case err != nil:
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}

// cleanup deletes a namespace or, if it is preassigned, the objects in it of the lease's run; of all runs if it has none.
func (l Lease) cleanup(ctx context.Context, client kubernetes.Interface, namespace string) error {
	which := fixtures.Ours()
	if l.Run.ID != "" {
		which = fixtures.OfRun(l.Run.ID)
	}
	switch {
	case !l.Preassigned:
		return deleteNamespace(ctx, client, namespace, l.uid)
	case namespace == l.Observers():
		return deleteObservers(ctx, client, namespace, which)
	}
	if err := deleteWorkloads(ctx, client, namespace, which); err != nil {
		return err
	}
	return deleteRest(ctx, client, namespace, which)
}

// deleteNamespace deletes the workloads and Services of a namespace and then, without waiting, the namespace. It deletes pods itself,
// without a grace period: the deletion of the namespace would wait for half of the grace period.
func deleteNamespace(ctx context.Context, client kubernetes.Interface, namespace string, uid types.UID) error {
	if err := deleteWorkloads(ctx, client, namespace, metav1.ListOptions{}); err != nil {
		return err
	}
	options := metav1.DeleteOptions{}
	if uid != "" {
		options.Preconditions = metav1.NewUIDPreconditions(string(uid))
	}
	err := client.CoreV1().Namespaces().Delete(ctx, namespace, options)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// deleteWorkloads deletes the selected workloads, Services and pods of a namespace.
func deleteWorkloads(ctx context.Context, client kubernetes.Interface, namespace string, which metav1.ListOptions) error {
	for _, workloads := range []collection{client.AppsV1().Deployments(namespace), client.AppsV1().StatefulSets(namespace),
		client.AppsV1().ReplicaSets(namespace), client.AppsV1().DaemonSets(namespace)} {
		if err := workloads.DeleteCollection(ctx, background, which); err != nil {
			return err
		}
	}
	services, err := client.CoreV1().Services(namespace).List(ctx, which)
	if err != nil {
		return err
	}
	for _, s := range services.Items { // the next recording needs the NodePort
		err := client.CoreV1().Services(namespace).Delete(ctx, s.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return deletePods(ctx, client, namespace, which)
}

// deleteObservers deletes the observers in a namespace, and waits until their pods are gone.
func deleteObservers(ctx context.Context, client kubernetes.Interface, namespace string, which metav1.ListOptions) error {
	if err := client.AppsV1().DaemonSets(namespace).DeleteCollection(ctx, background, which); err != nil {
		return err
	}
	return deletePods(ctx, client, namespace, which)
}

// deletePods deletes the selected pods and waits until none is left. Every second it deletes them again, because a controller may
// have created another.
func deletePods(ctx context.Context, client kubernetes.Interface, namespace string, which metav1.ListOptions) error {
	const lookEvery, deleteEvery = 250 * time.Millisecond, 4
	pods := client.CoreV1().Pods(namespace)
	looks := 0
	return poll.Until(ctx, lookEvery, func() (bool, error) {
		if looks++; looks%deleteEvery == 1 {
			if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}, which); err != nil {
				return false, err
			}
		}
		left, err := pods.List(ctx, which)
		return err == nil && len(left.Items) == 0, err
	})
}

// deleteRest deletes the selected objects in a preassigned namespace that deleteWorkloads leaves, and waits until the EndpointSlices are
// gone, which their controller deletes. They have the labels of their Services (k8s.io/endpointslice, utils.go, v1.37). The owner may have
// others.
func deleteRest(ctx context.Context, client kubernetes.Interface, namespace string, which metav1.ListOptions) error {
	var failed []error
	for _, kind := range []collection{client.CoreV1().Secrets(namespace), client.CoreV1().ResourceQuotas(namespace),
		client.AutoscalingV2().HorizontalPodAutoscalers(namespace), client.CoreV1().ConfigMaps(namespace),
		client.PolicyV1().PodDisruptionBudgets(namespace)} {
		err := kind.DeleteCollection(ctx, background, which)
		if !apierrors.IsForbidden(err) { // without the right to delete them we did not create any
			failed = append(failed, err)
		}
	}
	failed = append(failed, poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		slices, err := client.DiscoveryV1().EndpointSlices(namespace).List(ctx, which)
		return err == nil && len(slices.Items) == 0, err
	}))
	return errors.Join(failed...)
}

// WaitGone waits until none of the selected namespaces is left in the cluster.
func WaitGone(ctx context.Context, client kubernetes.Interface, which metav1.ListOptions) error {
	return waitGone(ctx, client, which, func(corev1.Namespace) bool { return true })
}

// waitsFor returns why the deletion of a namespace fails, in parentheses, or an empty string. The reason, such as an API group without
// a back end, is in a condition (Kubernetes v1.37, pkg/controller/namespace/deletion/status_condition_utils.go).
func waitsFor(n corev1.Namespace) string {
	for _, c := range n.Status.Conditions {
		switch c.Type {
		case corev1.NamespaceDeletionDiscoveryFailure, corev1.NamespaceDeletionGVParsingFailure, corev1.NamespaceDeletionContentFailure,
			corev1.NamespaceFinalizersRemaining, corev1.NamespaceContentRemaining:
			if c.Status == corev1.ConditionTrue {
				return fmt.Sprintf(" (%s: %s)", c.Type, phrase.Printable(c.Message))
			}
		}
	}
	return ""
}

func waitGone(ctx context.Context, client kubernetes.Interface, which metav1.ListOptions, counts func(corev1.Namespace) bool) error {
	ctx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	var left []string
	err := poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		list, err := client.CoreV1().Namespaces().List(ctx, which)
		if err != nil {
			return false, err
		}
		left = left[:0]
		for _, n := range list.Items {
			if counts(n) {
				left = append(left, n.Name+waitsFor(n))
			}
		}
		return len(left) == 0, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("clean up: not gone after %v: namespace %s", cleanupTimeout, strings.Join(left, "; namespace "))
	}
	if err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}
