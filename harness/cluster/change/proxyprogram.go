package change

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rollcall/harness/cluster"
	"rollcall/harness/dataplane"
	"rollcall/harness/nodeimage"
)

// proxyFile is where nodes have the program that their kube-proxy runs instead of that of its image, and proxyVolume is the name of
// its volume: the DaemonSet is one for all nodes, and the file each node's own.
const (
	proxyFile   = "/opt/rollcall-kube-proxy"
	proxyVolume = "rollcall-program"
)

// replaceProxies has nodes run a kube-proxy, and the others another.
func (s component) replaceProxies(ctx context.Context, c cluster.Changeable, program, others []byte) error {
	err := onNodes(ctx, c.Nodes(), func(ctx context.Context, node string) error {
		if slices.Contains(s.nodes(c), node) {
			return c.WriteFile(ctx, node, proxyFile, program)
		}
		return c.WriteFile(ctx, node, proxyFile, others)
	})
	if err != nil {
		return err
	}
	return restartProxiesWith(ctx, c, fmt.Sprintf(`{"spec":{"template":{"spec":{
		"volumes":[{"name":%[1]q,"hostPath":{"path":%[2]q,"type":"File"}}],
		"containers":[{"name":"kube-proxy","volumeMounts":[{"name":%[1]q,"mountPath":"/usr/local/bin/kube-proxy","readOnly":true}]}]}}}}`,
		proxyVolume, proxyFile))
}

// restartProxiesWith patches kube-proxy's DaemonSet, and returns when every kube-proxy runs with it and has written its rules. An
// older one does not take away what a newer one wrote in nftables, so what was written is removed in between.
func restartProxiesWith(ctx context.Context, c cluster.Changeable, patch string) error {
	if err := removeProxies(ctx, c); err != nil {
		return err
	}
	if written := dataplane.Of(c.Mode()).CleanUp; written != "" {
		err := onNodes(ctx, c.Nodes(), func(ctx context.Context, node string) error {
			_, err := c.Exec(ctx, node, written)
			return err
		})
		if err != nil {
			return err
		}
	}
	sets := c.Client().AppsV1().DaemonSets(metav1.NamespaceSystem)
	_, err := sets.Patch(ctx, cluster.ProxyName, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	return restoreProxies(ctx, c)
}

// restoreProxyProgram has every kube-proxy run the program of its image again, if it runs another.
func restoreProxyProgram(ctx context.Context, c cluster.Changeable) error {
	set, err := c.Client().AppsV1().DaemonSets(metav1.NamespaceSystem).Get(ctx, cluster.ProxyName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(set.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == proxyVolume }) {
		return nil
	}
	err = restartProxiesWith(ctx, c, fmt.Sprintf(`{"spec":{"template":{"spec":{
		"volumes":[{"name":%q,"$patch":"delete"}],
		"containers":[{"name":"kube-proxy","volumeMounts":[{"mountPath":"/usr/local/bin/kube-proxy","$patch":"delete"}]}]}}}}`, proxyVolume))
	if err != nil {
		return err
	}
	err = component{name: nodeimage.KubeProxy}.await(ctx, c, c.Kubernetes())
	if err != nil {
		return err
	}
	return onNodes(ctx, c.Nodes(), func(ctx context.Context, node string) error {
		_, err := c.Exec(ctx, node, "rm -f "+proxyFile)
		return err
	})
}
