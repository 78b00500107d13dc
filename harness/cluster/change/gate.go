package change

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"rollcall/harness/cluster"
	"rollcall/harness/nodeimage"
	"rollcall/harness/poll"
)

// Gate turns a feature gate of the kubelet on every node, or of the controller manager, on or off. One that the component does not
// know, or that it has locked, keeps it from starting: that is an error with its last words. The kubelet's metrics have to show it;
// those of the controller manager ask for rights of their own, so there it is enough that one leads which was started with it.
func Gate(name nodeimage.Component, gate string, on bool) cluster.Change {
	return featureGate{name, gate, on}
}

type featureGate struct {
	name nodeimage.Component
	gate string
	on   bool
}

func (g featureGate) String() string { return fmt.Sprintf("%s with %s=%t", g.name, g.gate, g.on) }

func (g featureGate) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, componentTimeout, fmt.Errorf("%s not running after %v", g, componentTimeout))
	defer cancel()
	undo = func(ctx context.Context) error { return restoreComponents(ctx, c) }
	switch g.name {
	case nodeimage.Kubelet:
		err = onNodes(ctx, c.Nodes(), func(ctx context.Context, node string) error { return g.configureKubelet(ctx, c, node) })
	case nodeimage.ControllerManager:
		err = replaceManifest(ctx, c, func(pod *corev1.Pod) {
			container := &pod.Spec.Containers[0]
			container.Command = append(container.Command, fmt.Sprintf("--feature-gates=%s=%t", g.gate, g.on))
		})
	case nodeimage.KubeProxy:
		return nil, &cluster.Unsupported{Because: "feature gates of kube-proxy cannot be set yet"}
	}
	if err != nil {
		return undo, fmt.Errorf("cluster: %s: %w", g, err)
	}
	return undo, nil
}

// Where a node has its kubelet's configuration, and what it was while it is another.
const (
	kubeletConfig = "/var/lib/kubelet/config.yaml"
	stockConfig   = "/var/lib/kubelet/config.stock.yaml"
)

func (g featureGate) configureKubelet(ctx context.Context, c cluster.Changeable, node string) error {
	text, err := c.Exec(ctx, node, fmt.Sprintf("[ -e %[2]s ] || cp %[1]s %[2]s; cat %[1]s", kubeletConfig, stockConfig))
	if err != nil {
		return err
	}
	changed, err := g.in(text)
	if err != nil {
		return err
	}
	if err := c.WriteFile(ctx, node, kubeletConfig, changed); err != nil {
		return err
	}
	began := time.Now()
	if _, err := c.Exec(ctx, node, restartKubelet); err != nil {
		return err
	}
	if err := awaitKubelet(ctx, c, node, began); err != nil {
		return err
	}
	return poll.Until(ctx, pollEvery, func() (bool, error) {
		metrics, err := c.Client().CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes", node, "proxy/metrics").DoRaw(ctx)
		return err == nil && g.toldBy(string(metrics)), nil
	})
}

// in is a kubelet's configuration, as YAML, with the gate.
func (g featureGate) in(text string) ([]byte, error) {
	var config map[string]any
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return nil, err
	}
	gates, _ := config["featureGates"].(map[string]any)
	if gates == nil {
		gates = map[string]any{}
	}
	gates[g.gate] = g.on
	config["featureGates"] = gates
	return yaml.Marshal(config)
}

// toldBy reports whether a component's metrics say that the gate is as it is to be.
func (g featureGate) toldBy(metrics string) bool {
	value := map[bool]string{true: "1", false: "0"}[g.on]
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(line, "kubernetes_feature_enabled{name=\""+g.gate+"\"") {
			return strings.HasSuffix(strings.TrimSpace(line), " "+value)
		}
	}
	return false
}
