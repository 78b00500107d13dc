package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"

	"rollcall/harness/command"
	"rollcall/harness/poll"
)

// MinSync has every kube-proxy wait at least so long between two writes of its node's rules (KubeProxyConfiguration
// v1alpha1, minSyncPeriod, 1 s in iptables and nftables mode by default).
func MinSync(d time.Duration) Change { return minSync(d) }

type minSync time.Duration

// Longer is the same, n times as long.
func (d minSync) Longer(n int) Change { return d * minSync(n) }

// Rest is for how long kube-proxy writes no rules after it wrote some.
func (d minSync) Rest() time.Duration { return time.Duration(d) }

func (d minSync) String() string {
	return fmt.Sprintf("kube-proxy's minSyncPeriod of %v", time.Duration(d))
}

// Where kubeadm keeps the configuration of kube-proxy, and by which label its pods are known.
const (
	proxyName      = "kube-proxy"
	proxyConfigKey = "config.conf"
	proxySelector  = "k8s-app=kube-proxy"
	// proxyBefore is the annotation that holds the configuration as it was, for whoever comes after a kill.
	proxyBefore = "rollcall.local/config-before"
)

func (d minSync) Make(ctx context.Context, c *Cluster) (undo func(context.Context) error, err error) {
	err = c.configureProxy(ctx, func(configMap *corev1.ConfigMap) error {
		before := configMap.Data[proxyConfigKey]
		changed, err := d.in(before, c.Mode)
		if err != nil {
			return err
		}
		if _, kept := configMap.Annotations[proxyBefore]; !kept {
			metav1.SetMetaDataAnnotation(&configMap.ObjectMeta, proxyBefore, before)
		}
		configMap.Data[proxyConfigKey] = changed
		return nil
	})
	return c.restoreProxy, err
}

// proxySync is kube-proxy's syncPeriod by default, in every mode. It refuses one that is shorter than minSyncPeriod
// (pkg/proxy/apis/config/validation/validation.go).
const proxySync = 30 * time.Second

// in is a configuration of kube-proxy, as YAML, with the change in the section of a mode.
func (d minSync) in(text, mode string) (string, error) {
	var config map[string]any
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return "", err
	}
	section, ok := config[mode].(map[string]any)
	if !ok {
		return "", fmt.Errorf("%s says nothing about %s", proxyConfigKey, mode)
	}
	section["minSyncPeriod"] = time.Duration(d).String()
	section["syncPeriod"] = max(time.Duration(d), proxySync).String()
	changed, err := yaml.Marshal(config)
	return string(changed), err
}

// NoProxy takes kube-proxy away from every node. The rules it wrote stay, and are those of nobody.
func NoProxy() Change { return noProxy{} }

type noProxy struct{}

func (noProxy) String() string { return "no kube-proxy" }

// nowhere is a label that no node has.
const nowhere = "rollcall.local/nowhere"

func (noProxy) Make(ctx context.Context, c *Cluster) (undo func(context.Context) error, err error) {
	if err := c.selectProxyNodes(ctx, `"true"`); err != nil {
		return c.bringProxiesBack, err
	}
	pods := c.Client.CoreV1().Pods(metav1.NamespaceSystem)
	return c.bringProxiesBack, poll.Until(ctx, pollEvery, func() (bool, error) {
		left, err := pods.List(ctx, metav1.ListOptions{LabelSelector: proxySelector})
		return err == nil && len(left.Items) == 0, err
	})
}

// bringProxiesBack returns when every node has a kube-proxy that has written its rules, whether one was missing or not.
func (c *Cluster) bringProxiesBack(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proxyPatience, fmt.Errorf("not every kube-proxy ready after %v", proxyPatience))
	defer cancel()
	if err := c.selectProxyNodes(ctx, "null"); err != nil {
		return err
	}
	return c.proxiesUp(ctx, nil)
}

// selectProxyNodes gives the label nowhere a value among those by which kube-proxy's nodes are selected, or null.
func (c *Cluster) selectProxyNodes(ctx context.Context, value string) error {
	patch := fmt.Sprintf(`{"spec":{"template":{"spec":{"nodeSelector":{%q:%s}}}}}`, nowhere, value)
	_, err := c.Client.AppsV1().DaemonSets(metav1.NamespaceSystem).Patch(ctx, proxyName, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("cluster: choose kube-proxy's nodes: %w", err)
	}
	return nil
}

// errUntouched ends a configuration of kube-proxy that has nothing to change.
var errUntouched = errors.New("nothing to change")

// restoreProxy gives kube-proxy the configuration back that it had before a change, if one was made. What it was is
// forgotten only when every kube-proxy runs with it.
func (c *Cluster) restoreProxy(ctx context.Context) error {
	err := c.configureProxy(ctx, func(configMap *corev1.ConfigMap) error {
		before, changed := configMap.Annotations[proxyBefore]
		if !changed {
			return errUntouched
		}
		configMap.Data[proxyConfigKey] = before
		return nil
	})
	if errors.Is(err, errUntouched) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.editProxyConfig(ctx, func(configMap *corev1.ConfigMap) error {
		delete(configMap.Annotations, proxyBefore)
		return nil
	})
}

// proxyPatience is the harness's own: three kube-proxies start anew in about 5 s on the reference host.
const proxyPatience = 2 * time.Minute

// configureProxy edits kube-proxy's configuration and returns when every kube-proxy runs with it.
func (c *Cluster) configureProxy(ctx context.Context, edit func(*corev1.ConfigMap) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proxyPatience, fmt.Errorf("not every kube-proxy ready after %v", proxyPatience))
	defer cancel()
	err := c.editProxyConfig(ctx, edit)
	if err == nil {
		err = c.restartProxies(ctx)
	}
	if err != nil {
		return fmt.Errorf("cluster: configure kube-proxy: %w", err)
	}
	return nil
}

// editProxyConfig edits kube-proxy's configuration, of which it takes no notice until it starts anew.
func (c *Cluster) editProxyConfig(ctx context.Context, edit func(*corev1.ConfigMap) error) error {
	configMaps := c.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live, err := configMaps.Get(ctx, proxyName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := edit(live); err != nil {
			return err
		}
		_, err = configMaps.Update(ctx, live, metav1.UpdateOptions{})
		return err
	})
}

// restartProxies returns when every kube-proxy is a new one and has written its rules.
func (c *Cluster) restartProxies(ctx context.Context) error {
	pods := c.Client.CoreV1().Pods(metav1.NamespaceSystem)
	old, err := pods.List(ctx, metav1.ListOptions{LabelSelector: proxySelector})
	if err != nil {
		return err
	}
	was := map[types.UID]bool{}
	for _, pod := range old.Items {
		was[pod.UID] = true
		if err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return c.proxiesUp(ctx, was)
}

// proxiesUp returns when every node has a kube-proxy, other than those excluded, that has written its rules.
func (c *Cluster) proxiesUp(ctx context.Context, except map[types.UID]bool) error {
	pods := c.Client.CoreV1().Pods(metav1.NamespaceSystem)
	err := poll.Until(ctx, pollEvery, func() (bool, error) {
		now, err := pods.List(ctx, metav1.ListOptions{LabelSelector: proxySelector})
		if err != nil {
			return false, err
		}
		up := 0
		for _, pod := range now.Items {
			if !except[pod.UID] && pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning && c.proxyHealthy(ctx, pod.Spec.NodeName) {
				up++
			}
		}
		return up == len(c.nodes), nil
	})
	if err != nil {
		return err
	}
	return c.ungroupProxies(ctx)
}

// proxyHealthy reports whether kube-proxy of a node has written its rules: it says so on port 10256 of the node,
// and its pod, which has no probe, does not.
func (c *Cluster) proxyHealthy(ctx context.Context, node string) bool {
	_, err := command.Run(ctx, "docker exec %s curl --silent --fail --output /dev/null --max-time 1 http://127.0.0.1:10256/healthz", node)
	return err == nil
}
