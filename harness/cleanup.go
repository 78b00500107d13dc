package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"rollcall/harness/poll"
)

// cleanUp removes the namespaces and waits until they are gone.
func (r *recording) cleanUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cleanupPatience)
	defer cancel()
	var group errgroup.Group
	for _, namespace := range []string{r.namespace, r.observerNamespace()} {
		group.Go(func() error { return remove(ctx, r.cluster.Client, namespace) })
	}
	return group.Wait()
}

// remove deletes a namespace. Its pods are not given their grace: nobody watches them any more. They go first, with
// what would make new ones, since a namespace that still has some waits for half of their grace.
func remove(ctx context.Context, client kubernetes.Interface, namespace string) error {
	namespaces := client.CoreV1().Namespaces()
	background, at := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}, metav1.ListOptions{}
	for _, collection := range []interface {
		DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	}{client.AppsV1().Deployments(namespace), client.AppsV1().StatefulSets(namespace), client.AppsV1().ReplicaSets(namespace), client.BatchV1().Jobs(namespace)} {
		if err := collection.DeleteCollection(ctx, background, at); err != nil {
			return fmt.Errorf("clean up: %w", err)
		}
	}
	endPods := func() error {
		err := client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}, at)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	if err := endPods(); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	err := namespaces.Delete(ctx, namespace, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	err = poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		// Again each time: a controller may have made one more pod meanwhile.
		if err := endPods(); err != nil {
			return false, err
		}
		_, err := namespaces.Get(ctx, namespace, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("clean up: namespace %s not gone after %v", namespace, cleanupPatience)
	}
	if err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}
