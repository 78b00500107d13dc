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
	"example.com/rollcall/harness/observe"
)

// deployLoadPods creates the agents, one on each worker and in that order, and the control pods, and waits until all are ready.
func (r *Recording) deployLoadPods(ctx context.Context, pods typedcorev1.PodInterface, workers []string,
	secret string) (agents, controls []corev1.Pod, err error) {
	with := workers[:min(len(workers), fixtures.MostControls)]
	control, agent := r.App.ControlSet(r.into(), with), fixtures.AgentSet(r.into(), workers, secret, r.Agent())
	for _, set := range []*appsv1.DaemonSet{control, agent} {
		if _, err := r.Cluster.Client().AppsV1().DaemonSets(r.Lease.Name).Create(ctx, set, metav1.CreateOptions{}); err != nil {
			return nil, nil, err
		}
	}
	if controls, err = awaitSet(ctx, pods, control, with, observe.Ready); err != nil {
		return nil, nil, err
	}
	agents, err = awaitSet(ctx, pods, agent, workers, observe.Ready)
	return agents, controls, err
}

// controlOf returns the control pod for a worker's control lane: on another node, if there is one, so that trouble of one node is
// not taken for trouble of the load generator.
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
