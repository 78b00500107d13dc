package change

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/kube"
)

// proxyFile is the program on each node that kube-proxy runs instead of the program of its image, and proxyVolume the name of the
// hostPath volume by which the DaemonSet mounts it.
const (
	proxyFile   = "/opt/rollcall-kube-proxy"
	proxyVolume = "rollcall-program"
)

// replaceProxies has every node run a program as its kube-proxy.
func replaceProxies(ctx context.Context, c cluster.Changeable, program []byte) error {
	err := onNodes(ctx, c.Nodes(), func(ctx context.Context, node string) error { return c.WriteFile(ctx, node, proxyFile, program) })
	if err != nil {
		return err
	}
	return restartProxiesWith(ctx, c, fmt.Sprintf(`{
		"volumes":[{"name":%[1]q,"hostPath":{"path":%[2]q,"type":"File"}}],
		"containers":[{"name":"kube-proxy","volumeMounts":[{"name":%[1]q,"mountPath":"/usr/local/bin/kube-proxy","readOnly":true}]}]}`,
		proxyVolume, proxyFile))
}

// restartProxiesWith patches kube-proxy's pods, and waits until every kube-proxy runs with the patch and has written its rules. In
// between it removes the old rules: an older kube-proxy does not remove what a newer one wrote in nftables.
func restartProxiesWith(ctx context.Context, c cluster.Changeable, pod string) error {
	if err := removeProxies(ctx, c); err != nil {
		return err
	}
	if written := c.Plane().CleanUp; written != "" {
		err := onNodes(ctx, c.Nodes(), func(ctx context.Context, node string) error {
			_, err := c.Exec(ctx, node, written)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := patchProxies(ctx, c, pod); err != nil {
		return err
	}
	return restoreProxies(ctx, c)
}

// restoreProxyProgram has every kube-proxy run the program of its image again, if it runs another.
func restoreProxyProgram(ctx context.Context, c cluster.Changeable) error {
	if needsKubeProxy(c) != nil {
		return nil
	}
	set, err := c.Client().AppsV1().DaemonSets(metav1.NamespaceSystem).Get(ctx, dataplane.KubeProxy.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(set.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == proxyVolume }) {
		return nil
	}
	err = restartProxiesWith(ctx, c, fmt.Sprintf(`{
		"volumes":[{"name":%q,"$patch":"delete"}],
		"containers":[{"name":"kube-proxy","volumeMounts":[{"mountPath":"/usr/local/bin/kube-proxy","$patch":"delete"}]}]}`, proxyVolume))
	if err != nil {
		return err
	}
	if err := (component{kube.KubeProxy, c.Kubernetes()}).await(ctx, c); err != nil {
		return err
	}
	return onNodes(ctx, c.Nodes(), func(ctx context.Context, node string) error {
		_, err := c.Exec(ctx, node, "rm -f "+proxyFile)
		return err
	})
}
