package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"rollcall/harness/cluster"
)

// MinSync has every kube-proxy wait at least so long between two writes of its node's rules (KubeProxyConfiguration
// v1alpha1, minSyncPeriod, 1 s in iptables and nftables mode by default).
func MinSync(d time.Duration) cluster.Change { return minSync(d) }

type minSync time.Duration

// Longer is the same, n times as long.
func (d minSync) Longer(n int) cluster.Change { return d * minSync(n) }

// Rest is for how long kube-proxy writes no rules after it wrote some.
func (d minSync) Rest() time.Duration { return time.Duration(d) }

func (d minSync) String() string {
	return fmt.Sprintf("kube-proxy's minSyncPeriod of %v", time.Duration(d))
}

func (d minSync) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	err = configureProxies(ctx, c, func(configMap *corev1.ConfigMap) error {
		before := configMap.Data[cluster.ProxyConfigKey]
		changed, err := d.in(before, c.Mode())
		if err != nil {
			return err
		}
		if _, kept := configMap.Annotations[annotationBefore]; !kept {
			metav1.SetMetaDataAnnotation(&configMap.ObjectMeta, annotationBefore, before)
		}
		configMap.Data[cluster.ProxyConfigKey] = changed
		return nil
	})
	return func(ctx context.Context) error { return restoreProxyConfig(ctx, c) }, err
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
		return "", fmt.Errorf("%s says nothing about %s", cluster.ProxyConfigKey, mode)
	}
	section["minSyncPeriod"] = time.Duration(d).String()
	section["syncPeriod"] = max(time.Duration(d), proxySync).String()
	changed, err := yaml.Marshal(config)
	return string(changed), err
}

// annotationBefore holds kube-proxy's configuration as it was, for whoever comes after a kill.
const annotationBefore = "rollcall.local/config-before"

// errUntouched ends a configuration of kube-proxy that has nothing to change.
var errUntouched = errors.New("nothing to change")

// restoreProxyConfig gives kube-proxy the configuration back that it had before a change, if one was made. What it was is
// forgotten only when every kube-proxy runs with it.
func restoreProxyConfig(ctx context.Context, c cluster.Changeable) error {
	err := configureProxies(ctx, c, func(configMap *corev1.ConfigMap) error {
		before, changed := configMap.Annotations[annotationBefore]
		if !changed {
			return errUntouched
		}
		configMap.Data[cluster.ProxyConfigKey] = before
		return nil
	})
	if errors.Is(err, errUntouched) {
		return nil
	}
	if err != nil {
		return err
	}
	return editProxyConfig(ctx, c, func(configMap *corev1.ConfigMap) error {
		delete(configMap.Annotations, annotationBefore)
		return nil
	})
}
