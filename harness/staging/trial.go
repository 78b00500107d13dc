package staging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/loadgen"
)

// inNamespace calls try with a namespace made as for a scenario, and cleans it up.
func (p Preflight) inNamespace(ctx context.Context, try func(context.Context, namespace.Lease) error) (err error) {
	lease, err := p.Namespaces.Acquire(ctx, p.Session)
	if err != nil {
		return err
	}
	defer lease.Release()
	client := p.Cluster.Client()
	if err := lease.Create(ctx, client); err != nil {
		return usage.New("namespace "+lease.Name, err.Error(), "choose a namespace that exists and is empty: --namespace=NAME")
	}
	defer func() { err = errors.Join(err, lease.Cleanup(context.WithoutCancel(ctx), client, false)) }()
	if err := lease.AddPullSecret(ctx, client, p.PullSecret); err != nil {
		return err
	}
	return try(ctx, lease)
}

// runTrialPods runs a pod of our images on every node that will carry agents, and looks for a way to the pods from this host.
func (p Preflight) runTrialPods(ctx context.Context, images fixtures.ImageSources) error {
	return p.inNamespace(ctx, func(ctx context.Context, lease namespace.Lease) error {
		client := p.Cluster.Client()
		nodes, err := p.Cluster.Workers(ctx)
		if err != nil {
			return err
		}
		if err := p.checkQuota(ctx, lease.Name, len(nodes)); err != nil {
			return err
		}
		if len(nodes) == 0 {
			return usage.New("context "+p.Cluster.Name(), "no node is ready and takes pods that tolerate no taint", "see kubectl get nodes")
		}
		to := fixtures.Destination{Namespace: lease.Name, Run: lease.Run, Images: images}
		service, err := client.CoreV1().Services(lease.Name).Create(ctx, fixtures.TrialService(to, p.Cluster.Door().NodePort),
			metav1.CreateOptions{})
		if err != nil {
			return err
		}
		for _, node := range nodes {
			pod := fixtures.TrialPod(to, node, p.Cluster.CannotObserve() == "")
			if _, err := client.CoreV1().Pods(lease.Name).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
				return usage.New("namespace "+lease.Name, err.Error(), "have its owner allow pods of the standard restricted, with requests and limits")
			}
		}
		because, err := awaitReady(ctx, client, lease.Name, fixtures.NameLabel+"="+fixtures.TrialName, len(nodes))
		if err != nil {
			return err
		}
		if because != "" {
			return usage.New("trial", because,
				"push the images where nodes can pull them (--image-repo, --pull-secret), or name others (--images)")
		}
		return p.Cluster.FindRoute(ctx, service, answers)
	})
}

// answers implements [attached.Answers] for the trial pods.
func answers(ctx context.Context, url string) error {
	client := loadgen.FreshClient(answerTimeout)
	var last error
	err := poll.Until(ctx, 250*time.Millisecond, func() (bool, error) {
		_, last = loadgen.Request(ctx, client, url)
		return last == nil, nil
	})
	if err != nil && last != nil {
		return last
	}
	return err
}

// awaitReady waits until enough of the selected pods are ready, and returns why the others are not and for how long; empty: enough are.
func awaitReady(ctx context.Context, client kubernetes.Interface, namespace, selector string, want int) (because string, err error) {
	ctx, cancel := context.WithTimeout(ctx, imageTimeout)
	defer cancel()
	began := time.Now()
	err = poll.Until(ctx, 250*time.Millisecond, func() (bool, error) {
		pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return false, err
		}
		n := 0
		because = ""
		for _, pod := range pods.Items {
			switch {
			case observe.Ready(&pod):
				n++
			case because == "":
				because = PodStatus(pod)
			}
		}
		if because == "" {
			because = fmt.Sprintf("%d of %d pods were made", len(pods.Items), want)
		}
		return n >= want, nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		return "", err
	}
	return fmt.Sprintf("%s, for %v", because, time.Since(began).Round(time.Second)), nil
}

// PodStatus returns a phrase with a pod's node and the reason why the pod is not ready.
func PodStatus(pod corev1.Pod) string {
	where := "node " + pod.Spec.NodeName
	if pod.Spec.NodeName == "" {
		where = "no node takes pod " + pod.Name
	}
	for _, status := range append(slices.Clone(pod.Status.InitContainerStatuses), pod.Status.ContainerStatuses...) {
		container := fmt.Sprintf("%s: container %s, image %s", where, status.Name, status.Image)
		switch waiting, ended := status.State.Waiting, status.State.Terminated; {
		case waiting != nil && waiting.Reason != "PodInitializing":
			return strings.TrimRight(fmt.Sprintf("%s: %s: %s", container, waiting.Reason, phrase.Printable(waiting.Message)), ": ")
		case ended != nil && ended.ExitCode != 0:
			return fmt.Sprintf("%s: it ended with code %d", container, ended.ExitCode)
		}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Status == corev1.ConditionFalse && condition.Message != "" {
			return where + ": " + phrase.Printable(condition.Message)
		}
	}
	return where + ": its pod is " + string(pod.Status.Phase)
}
