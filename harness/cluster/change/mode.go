package change

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"rollcall/harness/cluster"
)

// Mode has the kube-proxy of one node, by its whole name, run in another mode. The others keep theirs: a kube-proxy reads its
// configuration when it starts. When it starts in another mode it removes what it wrote in the one before, and then writes its
// rules anew (cmd/kube-proxy/app/server_linux.go, platformCleanup, v1.37).
func Mode(node, mode string) cluster.Change { return modeOn{node, mode} }

type modeOn struct{ node, mode string }

func (m modeOn) String() string { return fmt.Sprintf("mode %s of kube-proxy on %s", m.mode, m.node) }

func (m modeOn) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	undo = func(ctx context.Context) error {
		return m.restart(ctx, c, func(configMap *corev1.ConfigMap) error {
			before, changed := configMap.Annotations[annotationBefore]
			if !changed {
				return errUntouched
			}
			configMap.Data[cluster.ProxyConfigKey] = before
			delete(configMap.Annotations, annotationBefore)
			return nil
		})
	}
	err = m.restart(ctx, c, func(configMap *corev1.ConfigMap) error {
		before := configMap.Data[cluster.ProxyConfigKey]
		changed, err := m.in(before)
		if err != nil {
			return err
		}
		if _, kept := configMap.Annotations[annotationBefore]; !kept {
			metav1.SetMetaDataAnnotation(&configMap.ObjectMeta, annotationBefore, before)
		}
		configMap.Data[cluster.ProxyConfigKey] = changed
		return nil
	})
	return undo, err
}

// in is a configuration of kube-proxy, as YAML, with another mode.
func (m modeOn) in(text string) (string, error) {
	var config map[string]any
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return "", err
	}
	config["mode"] = m.mode
	changed, err := yaml.Marshal(config)
	return string(changed), err
}

// restart edits kube-proxy's configuration and returns when the node's kube-proxy runs with it and has written its rules.
func (m modeOn) restart(ctx context.Context, c cluster.Changeable, edit func(*corev1.ConfigMap) error) error {
	if err := editProxyConfig(ctx, c, edit); err != nil {
		return fmt.Errorf("cluster: configure kube-proxy: %w", err)
	}
	return RestartProxy(ctx, c, m.node)
}

// RestartProxy has a new kube-proxy run on a node, and returns when it has written its rules.
func RestartProxy(ctx context.Context, c cluster.Changeable, node string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proxyTimeout, fmt.Errorf("that of %s did not write its rules in %v", node, proxyTimeout))
	defer cancel()
	pods := c.Client().CoreV1().Pods(metav1.NamespaceSystem)
	old, err := pods.List(ctx, metav1.ListOptions{LabelSelector: cluster.ProxySelector, FieldSelector: "spec.nodeName=" + node})
	was := map[types.UID]bool{}
	if err == nil {
		for _, pod := range old.Items {
			was[pod.UID] = true
			if err = pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
				break
			}
		}
	}
	if err == nil {
		err = awaitProxiesOf(ctx, c, []string{node}, was)
	}
	if err != nil {
		return fmt.Errorf("cluster: restart kube-proxy: %w", err)
	}
	return nil
}
