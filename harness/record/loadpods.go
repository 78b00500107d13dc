package record

import (
	"context"
	"fmt"
	"net"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/fixtures"
)

// loadPods are the pods that the lanes of the workers need, all of them ready.
type loadPods struct {
	controls []corev1.Pod
	agents   []corev1.Pod // in the order of the workers
}

// deployLoadPods makes the pods that send, and what their control lanes ask.
func (r *Recording) deployLoadPods(ctx context.Context, pods typedcorev1.PodInterface, workers []string,
	secret string) (p loadPods, err error) {
	with := workers[:min(len(workers), fixtures.MostControls)]
	controls, err := r.createSet(ctx, r.App.ControlSet(r.into(), with))
	if err != nil {
		return p, err
	}
	agents, err := r.createSet(ctx, fixtures.AgentSet(r.into(), workers, secret))
	if err != nil {
		return p, err
	}
	if p.controls, err = awaitSet(ctx, pods, controls, with); err != nil {
		return p, err
	}
	p.agents, err = awaitSet(ctx, pods, agents, workers)
	return p, err
}

func (r *Recording) createSet(ctx context.Context, set *appsv1.DaemonSet) (*appsv1.DaemonSet, error) {
	return r.Cluster.Client().AppsV1().DaemonSets(r.Lease.Name).Create(ctx, set, metav1.CreateOptions{})
}

// controlOf is the control pod that a worker's lanes ask: one on another node, if there is one, so that a node that is in trouble
// is not taken for the rig.
func controlOf(worker string, controls []corev1.Pod) corev1.Pod {
	for _, pod := range controls {
		if pod.Spec.NodeName != worker {
			return pod
		}
	}
	return controls[0]
}

func controlURL(pod corev1.Pod) string {
	return fmt.Sprintf("http://%s/", net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(fixtures.AppPort)))
}
