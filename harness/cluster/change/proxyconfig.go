package change

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
)

// annotationBefore holds kube-proxy's configuration from before a change, so that a run after a kill can restore it.
const annotationBefore = "rollcall.local/config-before"

// changeProxyConfig edits kube-proxy's configuration, and waits until the kube-proxies of nodes run with it.
func changeProxyConfig(ctx context.Context, c cluster.Changeable, nodes []string,
	edit func(config map[string]any) error) (undo func(context.Context) error, err error) {
	if err := needsKubeProxy(c); err != nil {
		return nil, err
	}
	err = configureProxies(ctx, c, nodes, func(configMap *corev1.ConfigMap) error {
		before := configMap.Data[dataplane.ConfigKey]
		var config map[string]any
		if err := yaml.Unmarshal([]byte(before), &config); err != nil {
			return err
		}
		if err := edit(config); err != nil {
			return err
		}
		changed, err := yaml.Marshal(config)
		if err != nil {
			return err
		}
		if _, kept := configMap.Annotations[annotationBefore]; !kept {
			metav1.SetMetaDataAnnotation(&configMap.ObjectMeta, annotationBefore, before)
		}
		configMap.Data[dataplane.ConfigKey] = string(changed)
		return nil
	})
	return func(ctx context.Context) error { return restoreProxyConfig(ctx, c, nodes) }, err
}

// errUntouched is returned by an edit that has nothing to change.
var errUntouched = errors.New("nothing to change")

// restoreProxyConfig restores kube-proxy's configuration from before a change, if one was made. It removes the annotation only
// when the kube-proxies of the nodes run with it.
func restoreProxyConfig(ctx context.Context, c cluster.Changeable, nodes []string) error {
	err := configureProxies(ctx, c, nodes, func(configMap *corev1.ConfigMap) error {
		before, changed := configMap.Annotations[annotationBefore]
		if !changed {
			return errUntouched
		}
		configMap.Data[dataplane.ConfigKey] = before
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

// configureProxies edits the ConfigMap of kube-proxy and restarts the kube-proxies of nodes, which read it at their start.
func configureProxies(ctx context.Context, c cluster.Changeable, nodes []string, edit func(*corev1.ConfigMap) error) error {
	err := editProxyConfig(ctx, c, edit)
	if err == nil {
		err = restartProxies(ctx, c, nodes)
	}
	if err != nil {
		return fmt.Errorf("cluster: configure kube-proxy: %w", err)
	}
	return nil
}

func editProxyConfig(ctx context.Context, c cluster.APIServer, edit func(*corev1.ConfigMap) error) error {
	configMaps := c.Client().CoreV1().ConfigMaps(metav1.NamespaceSystem)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live, err := configMaps.Get(ctx, dataplane.KubeProxy.Name, metav1.GetOptions{})
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
