package change

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/kube"
)

// Gate returns the change that turns a feature gate of the controller manager on or off. With a gate that is unknown or locked the
// controller manager does not start: the error has the end of its log. It is enough that one leads that was started with the flag;
// its metrics, which list the gates, need rights of their own.
func Gate(gate string, on bool) cluster.Change {
	is := fmt.Sprintf("%s=%t", gate, on)
	return managerFlag{is, "--feature-gates=" + is}
}

// EndpointsPerSlice returns the change that has the controller manager put at most so many endpoints into an EndpointSlice, 100 by default
// (kube-controller-manager, --max-endpoints-per-slice).
func EndpointsPerSlice(n int) cluster.Change {
	return managerFlag{fmt.Sprintf("at most %d endpoints in a slice", n), fmt.Sprintf("--max-endpoints-per-slice=%d", n)}
}

// A managerFlag is one more flag of the controller manager.
type managerFlag struct{ says, flag string }

func (f managerFlag) String() string { return string(kube.ControllerManager) + " with " + f.says }

func (f managerFlag) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, componentTimeout, fmt.Errorf("%s not running after %v", f, componentTimeout))
	defer cancel()
	undo = func(ctx context.Context) error { return restoreComponents(ctx, c) }
	err = replaceManifest(ctx, c, func(pod *corev1.Pod) {
		container := &pod.Spec.Containers[0]
		container.Command = append(container.Command, f.flag)
	})
	if err != nil {
		return undo, fmt.Errorf("cluster: %s: %w", f, err)
	}
	return undo, nil
}
