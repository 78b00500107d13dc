package disruption

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
)

// pollEvery is the interval of polls. The API server is busy, and away at times.
const pollEvery = time.Second

// until waits until lacks returns nil. An API server that does not answer is waited for too.
func until(ctx context.Context, lacks func() error) error {
	return poll.UntilNil(ctx, pollEvery, lacks)
}

// awaitNode waits until a node is Ready with the new kubelet.
func (u upgrade) awaitNode(ctx context.Context, node string) error {
	return until(ctx, func() error {
		is, err := u.Client().CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		switch {
		case err != nil:
			return err
		case is.Status.NodeInfo.KubeletVersion != u.to.Version:
			return errors.New("its kubelet is " + is.Status.NodeInfo.KubeletVersion)
		case !cluster.NodeReady(*is):
			return errors.New("it is not Ready")
		}
		return nil
	})
}

// awaitProxies waits until every node has the new kube-proxy, and moves each out of its CPU cgroup, so that pods do not slow it down.
// kubeadm does not wait for kube-proxy.
func (u upgrade) awaitProxies(ctx context.Context) error {
	err := until(ctx, func() error {
		set, err := u.Client().AppsV1().DaemonSets(metav1.NamespaceSystem).Get(ctx, dataplane.KubeProxy.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		image := set.Spec.Template.Spec.Containers[0].Image
		if !strings.HasSuffix(image, ":"+u.to.Version) {
			return errors.New("kube-proxy is to be " + image)
		}
		is := set.Status
		if is.ObservedGeneration < set.Generation || is.UpdatedNumberScheduled < is.DesiredNumberScheduled ||
			is.NumberAvailable < is.DesiredNumberScheduled {
			return fmt.Errorf("%d of %d kube-proxies are new, %d are available", is.UpdatedNumberScheduled, is.DesiredNumberScheduled,
				is.NumberAvailable)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return u.ProxiesLeaveCPUCgroup(ctx)
}

// complete returns the step that waits until every part of the cluster has the new version and is ready.
func (u upgrade) complete() step {
	return step{what: u.to.Version + " everywhere", do: func(ctx context.Context) error {
		err := until(ctx, func() error {
			server, err := cluster.ServerVersion(ctx, u.Client())
			if err != nil {
				return err
			}
			if server != u.to.Version {
				return errors.New("the API server is " + server)
			}
			dns, err := u.Client().AppsV1().Deployments(metav1.NamespaceSystem).Get(ctx, "coredns", metav1.GetOptions{})
			if err == nil && !rollout.Complete(dns) {
				return errors.New("CoreDNS is not complete")
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, node := range u.Nodes() {
			if err := u.awaitNode(ctx, node); err != nil {
				return fmt.Errorf("%s: %w", node, err)
			}
		}
		return u.awaitProxies(ctx)
	}}
}
