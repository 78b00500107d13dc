package kind

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/poll"
)

// probeWorkers runs a pod on each worker, and returns an error unless each reaches the API server's Service.
func (c *Cluster) probeWorkers(ctx context.Context) error {
	workers, err := c.Workers(ctx)
	if err != nil {
		return err
	}
	var group errgroup.Group
	for _, worker := range workers {
		group.Go(func() error { return c.probe(ctx, worker) })
	}
	return group.Wait()
}

func (c *Cluster) probe(ctx context.Context, worker string) (err error) {
	pods := c.Client().CoreV1().Pods(metav1.NamespaceDefault)
	want := fixtures.ProbePod(metav1.NamespaceDefault, worker, readyTimeout, "https://kubernetes.default.svc.cluster.local/healthz")
	var pod *corev1.Pod
	err = poll.Until(ctx, pollEvery, func() (done bool, err error) {
		pod, err = pods.Create(ctx, want, metav1.CreateOptions{})
		if apierrors.IsForbidden(err) { // the service account is created a moment after its namespace
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("probe from %s: %w", worker, err)
	}
	defer func() {
		now := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}
		err = errors.Join(err, pods.Delete(context.WithoutCancel(ctx), pod.Name, now))
	}()
	return poll.Until(ctx, pollEvery, func() (bool, error) {
		pod, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		if pod.Status.Phase == corev1.PodFailed {
			return false, fmt.Errorf("a pod on %s does not reach the Service kubernetes: cluster: %s", worker, c.podLog(ctx, pod.Name))
		}
		return pod.Status.Phase == corev1.PodSucceeded, nil
	})
}

func (c *Cluster) podLog(ctx context.Context, pod string) string {
	log, err := c.Client().CoreV1().Pods(metav1.NamespaceDefault).GetLogs(pod, &corev1.PodLogOptions{}).DoRaw(ctx)
	if err != nil {
		return err.Error()
	}
	return command.LastLines(string(log), 2)
}
