package rollout

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
)

// FlipWith is a [Flip] to a version whose pods differ in more than the image.
func FlipWith(old, new string, change func(*fixtures.App)) Strategy {
	return flipWith{flip{old, new}, change}
}

// FlipTested is a [Flip] that is made once the new version has passed a test: a second Service leads to the new version alone, and a pod
// sends requests to it until one is answered well. If none is, nothing is changed.
func FlipTested(old, new string) Strategy {
	return flipTested{flipWith{flip{old, new}, func(*fixtures.App) {}}}
}

// FlipRefused is the same with a new version that is to fail the test, so that it is over when the test is.
func FlipRefused(old, new string, change func(*fixtures.App)) Strategy {
	return flipRefused{flipTested{flipWith{flip{old, new}, change}}}
}

type flipWith struct {
	flip
	change func(*fixtures.App) // of the new version
}

// IsCode marks strategies that hold a function: two of them may differ although they print the same.
func (flipWith) IsCode() {}

func (f flipWith) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	service, next := app.Service(to, nodePort), app
	service.Spec.Selector[fixtures.VersionLabel] = f.old
	f.change(&next)
	return Deploy(ctx, client, to.Namespace, service, app.Standalone(to, f.old, app.Replicas), next.Standalone(to, f.new, app.Replicas))
}

type flipTested struct{ flipWith }

func (f flipTested) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	if err := create(ctx, client, to.Namespace, app.VersionService(to, f.new)); err != nil {
		return nil, fmt.Errorf("rollout: create the Service for tests: %w", err)
	}
	return f.flipWith.Deploy(ctx, client, to, app, nodePort)
}

// Begin tests the new version, and flips the Service if it passes.
func (f flipTested) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	preview, err := client.CoreV1().Services(to.Namespace).Get(ctx, app.VersionService(to, f.new).Name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("rollout: the Service for tests: %w", err)
	}
	passed, err := test(ctx, client, to, fixtures.HTTPURL(preview))
	if err != nil {
		return fmt.Errorf("rollout: test %s: %w", f.new, err)
	}
	if !passed {
		return nil
	}
	return f.flip.Begin(ctx, client, to, app)
}

// test has a pod send requests to a URL until one is answered well, and reports whether one was.
func test(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, url string) (passed bool, err error) {
	pods := client.CoreV1().Pods(to.Namespace)
	pod, err := pods.Create(ctx, fixtures.TestPod(to, testTimeout, url), metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("the test has no result in %v", restartTimeout))
	defer cancel()
	err = poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		now, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		switch {
		case err != nil:
			return false, err
		case now.Status.Phase == corev1.PodFailed && !failedTest(now):
			return false, errors.New("its pod did not run to the end")
		}
		passed = now.Status.Phase == corev1.PodSucceeded
		return passed || now.Status.Phase == corev1.PodFailed, nil
	})
	return passed, err
}

// failedTest reports whether a pod's program ended with exit code 1, which says that there was no good reply.
func failedTest(pod *corev1.Pod) bool {
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Terminated != nil && c.State.Terminated.ExitCode == 1 {
			return true
		}
	}
	return false
}

type flipRefused struct{ flipTested }

func (f flipRefused) Settled(s observe.State, app fixtures.App) bool { return f.Over(s, app) }

// Over reports whether the Service still leads to the old version. The nodes' rules lead to the new one too, for the Service for tests.
func (f flipRefused) Over(s observe.State, app fixtures.App) bool {
	return s.ReachesEverywhere(f.old, int(app.Replicas))
}
