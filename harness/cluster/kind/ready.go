package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"rollcall/harness/cluster"
	"rollcall/harness/command"
	"rollcall/harness/poll"
)

// pollEvery paces looks at a cluster that is coming up.
const pollEvery = 200 * time.Millisecond

// readyTimeout is the harness's own: a cluster on the reference host needs about 5 s after joining.
const readyTimeout = 3 * time.Minute

// ready waits until the cluster is what Open promises.
func (c *Cluster) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("not ready after %v", readyTimeout))
	defer cancel()
	var group errgroup.Group
	group.Go(func() error { return c.probeWorkers(ctx) })
	last := ""
	err := poll.Until(ctx, pollEvery, func() (bool, error) {
		what, err := c.unready(ctx)
		if err != nil {
			what = err.Error()
		}
		last = what
		return what == "", nil
	})
	if err = errors.Join(err, group.Wait()); err != nil {
		if last != "" {
			err = fmt.Errorf("%w: %s", err, last)
		}
		return err
	}
	return nil
}

// unready says what is not Ready yet; empty when everything is.
func (c *Cluster) unready(ctx context.Context) (string, error) {
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	if len(nodes.Items) < len(c.nodes) {
		return fmt.Sprintf("%d of %d nodes registered", len(nodes.Items), len(c.nodes)), nil
	}
	for _, node := range nodes.Items {
		if !cluster.NodeReady(node) {
			return "node " + node.Name + " is not Ready", nil
		}
	}
	proxies, err := c.Client().AppsV1().DaemonSets(metav1.NamespaceSystem).Get(ctx, "kube-proxy", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if int(proxies.Status.NumberReady) < len(nodes.Items) {
		return fmt.Sprintf("%d of %d kube-proxies are Ready", proxies.Status.NumberReady, len(nodes.Items)), nil
	}
	dns, err := c.Client().AppsV1().Deployments(metav1.NamespaceSystem).Get(ctx, "coredns", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if dns.Status.ReadyReplicas < ptr.Deref(dns.Spec.Replicas, 1) {
		return fmt.Sprintf("%d of %d CoreDNS pods are Ready", dns.Status.ReadyReplicas, ptr.Deref(dns.Spec.Replicas, 1)), nil
	}
	return "", nil
}

// loadImages imports the archives into every node's containerd, without a registry.
func (c *Cluster) loadImages(ctx context.Context) error {
	nodes, err := provider().ListInternalNodes(c.spec.Name)
	if err != nil {
		return fmt.Errorf("load images: %w", err)
	}
	var group errgroup.Group
	for _, node := range nodes {
		group.Go(func() error {
			for _, archive := range c.spec.Archives {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := nodeutils.LoadImageArchive(node, bytes.NewReader(archive.Data)); err != nil {
					return fmt.Errorf("load %s into %s: %w", archive.Ref, node, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// Workers are the names of all nodes but the control plane's, in order.
func (c *Cluster) Workers(ctx context.Context) ([]string, error) {
	list, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "!node-role.kubernetes.io/control-plane"})
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	var names []string
	for _, node := range list.Items {
		names = append(names, node.Name)
	}
	slices.Sort(names)
	return names, nil
}

// probeWorkers has a pod on each worker reach the API server's Service.
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
	want := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "rollcall-probe-"},
		Spec: corev1.PodSpec{
			NodeName: worker, RestartPolicy: corev1.RestartPolicyNever, EnableServiceLinks: ptr.To(false),
			AutomountServiceAccountToken: ptr.To(false),
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(65532)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{
				Name: "probe", Image: c.spec.ProbeImage, ImagePullPolicy: corev1.PullNever,
				Args: []string{"probe", "-for", readyTimeout.String(), "https://kubernetes.default.svc.cluster.local/healthz"},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			}},
		},
	}
	var pod *corev1.Pod
	err = poll.Until(ctx, pollEvery, func() (done bool, err error) {
		pod, err = pods.Create(ctx, want, metav1.CreateOptions{})
		if apierrors.IsForbidden(err) { // the namespace's service account is made a moment after the namespace
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("probe from %s: %w", worker, err)
	}
	defer func() {
		now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}
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
