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
func Gate(gate string, on bool) cluster.Change { return featureGate{gate, on} }

type featureGate struct {
	gate string
	on   bool
}

func (g featureGate) flag() string { return fmt.Sprintf("%s=%t", g.gate, g.on) }

func (g featureGate) String() string {
	return string(kube.ControllerManager) + " with " + g.flag()
}

func (g featureGate) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, componentTimeout, fmt.Errorf("%s not running after %v", g, componentTimeout))
	defer cancel()
	undo = func(ctx context.Context) error { return restoreComponents(ctx, c) }
	err = replaceManifest(ctx, c, func(pod *corev1.Pod) {
		container := &pod.Spec.Containers[0]
		container.Command = append(container.Command, "--feature-gates="+g.flag())
	})
	if err != nil {
		return undo, fmt.Errorf("cluster: %s: %w", g, err)
	}
	return undo, nil
}
