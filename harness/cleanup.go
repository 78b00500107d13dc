package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"rollcall/fixtures"
	"rollcall/harness/evidence/store"
	"rollcall/harness/poll"
)

// leave ends all that the recording started, undoes its changes of the cluster and begins to remove its namespaces. It
// does not wait until those are gone: that takes 5 s at least, in which nothing happens (Kubernetes v1.36.3,
// pkg/controller/namespace/namespace_controller.go, namespaceDeletionGracePeriod), see vacated. How long everything took
// is noted in the recording's folder.
func (r *recording) leave(ctx context.Context, folder string) error {
	limited, cancel := context.WithTimeout(ctx, cleanupPatience)
	defer cancel()
	var group errgroup.Group
	namespaces := []string{r.namespace}
	if r.observers != nil {
		namespaces = append(namespaces, r.space.observers())
	}
	for _, namespace := range namespaces {
		group.Go(func() error { return r.space.leave(limited, r.cluster.Client, namespace) })
	}
	left := group.Wait()
	for _, undo := range slices.Backward(r.undo) {
		left = errors.Join(left, undo(ctx))
	}
	if folder == "" { // of a recording that was not kept
		return left
	}
	return errors.Join(left, store.Lengthen(folder, time.Since(r.began)))
}

// undisturbed distrusts the recording if something of another run is still in the cluster.
func (r *recording) undisturbed(ctx context.Context) error {
	if r.space.given {
		return nil // who lets us make no namespace lets us see none either
	}
	list, err := r.cluster.Client.CoreV1().Namespaces().List(ctx, fixtures.Ours())
	if err != nil {
		return err
	}
	for _, n := range list.Items {
		if n.Labels[fixtures.InstanceLabel] == r.rig.session.ID {
			continue
		}
		pods, err := r.cluster.Client.CoreV1().Pods(n.Name).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(pods.Items) > 0 || n.DeletionTimestamp == nil {
			r.run.Distrust = append(r.run.Distrust, fmt.Sprintf("namespace %s of another run was still there, with %d pods", n.Name, len(pods.Items)))
		}
	}
	return nil
}

// empty takes everything that runs or listens out of a namespace and begins to remove it. Pods are not given their
// grace: nobody watches them any more. They go before the namespace does, which would wait for half of it.
func empty(ctx context.Context, client kubernetes.Interface, namespace string) error {
	if err := end(ctx, client, namespace, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	err := client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}

// end ends what runs or listens in a namespace, of those selected.
func end(ctx context.Context, client kubernetes.Interface, namespace string, which metav1.ListOptions) error {
	background := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}
	for _, workloads := range []interface {
		DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	}{client.AppsV1().Deployments(namespace), client.AppsV1().StatefulSets(namespace), client.AppsV1().ReplicaSets(namespace), client.BatchV1().Jobs(namespace)} {
		if err := workloads.DeleteCollection(ctx, background, which); err != nil {
			return err
		}
	}
	services, err := client.CoreV1().Services(namespace).List(ctx, which)
	if err != nil {
		return err
	}
	for _, s := range services.Items { // the next recording wants its NodePort
		if err := client.CoreV1().Services(namespace).Delete(ctx, s.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return endPods(ctx, client, namespace, which)
}

// endPods returns when none of those selected is left. Now and then it ends them again: a controller may have made one more
// meanwhile.
func endPods(ctx context.Context, client kubernetes.Interface, namespace string, which metav1.ListOptions) error {
	pods := client.CoreV1().Pods(namespace)
	const lookEvery, endEvery = 250 * time.Millisecond, 4
	looks := 0
	return poll.Until(ctx, lookEvery, func() (bool, error) {
		if looks++; looks%endEvery == 1 {
			if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}, which); err != nil {
				return false, err
			}
		}
		left, err := pods.List(ctx, which)
		return err == nil && len(left.Items) == 0, err
	})
}

// vacated returns when no namespace of a recording, of those selected, is left in the cluster.
func vacated(ctx context.Context, client kubernetes.Interface, of metav1.ListOptions) error {
	ctx, cancel := context.WithTimeout(ctx, cleanupPatience)
	defer cancel()
	var left []string
	err := poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		list, err := client.CoreV1().Namespaces().List(ctx, of)
		if err != nil {
			return false, err
		}
		left = left[:0]
		for _, n := range list.Items {
			left = append(left, n.Name)
		}
		return len(left) == 0, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("clean up: namespaces %v not gone after %v", left, cleanupPatience)
	}
	if err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}
