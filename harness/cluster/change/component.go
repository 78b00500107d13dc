package change

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/usage"
)

// Component returns the change that has all nodes run a component of another version of Kubernetes, such as "v1.35.3". Only workers
// get another kubelet: one of another minor version does not recognize the control plane's pods, and restarts them (seen with v1.35.3
// beside v1.37.2). A version that does not go with the API server's is [cluster.Unsupported].
func Component(name kube.Component, version string) cluster.Change {
	return component{name, version}
}

type component struct {
	name    kube.Component
	version string
}

func (s component) String() string { return fmt.Sprintf("%s %s", s.name, s.version) }

func (s component) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	if because := s.skewed(c.Kubernetes()); because != "" {
		return nil, &cluster.Unsupported{Because: because}
	}
	if s.name == kube.KubeProxy {
		if err := needsKubeProxy(c); err != nil {
			return nil, err
		}
	}
	program, err := s.program(ctx, c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, componentTimeout, fmt.Errorf("%s not running after %v", s, componentTimeout))
	defer cancel()
	undo = func(ctx context.Context) error { return restoreComponents(ctx, c) }
	switch s.name {
	case kube.Kubelet:
		err = replaceKubelets(ctx, c, program, s.nodes(c))
	case kube.KubeProxy:
		err = replaceProxies(ctx, c, program)
	case kube.ControllerManager:
		err = replaceControllerManager(ctx, c, program)
	}
	if err == nil {
		err = s.await(ctx, c)
	}
	if err != nil {
		return undo, fmt.Errorf("cluster: %s: %w", s, err)
	}
	return undo, nil
}

// skewed returns why the component's version does not go with the API server's; empty if it does. By Kubernetes' version skew policy
// no component is newer; kubelet and kube-proxy are at most three minor versions older, and the controller manager one.
func (s component) skewed(apiServer string) string {
	older := uint(3)
	if s.name == kube.ControllerManager {
		older = 1
	}
	api, err := version.ParseSemantic(apiServer)
	if err != nil {
		return err.Error()
	}
	own, err := version.ParseSemantic(s.version)
	switch {
	case err != nil:
		return err.Error()
	case own.Major() != api.Major() || api.LessThan(own) || own.Minor()+older < api.Minor():
		return fmt.Sprintf("%s %s does not go with an API server of %s: use v%d.%d to %s", s.name, s.version, apiServer,
			api.Major(), api.Minor()-older, apiServer)
	}
	return ""
}

// program returns the component's program.
func (s component) program(ctx context.Context, c cluster.Changeable) ([]byte, error) {
	path, err := provision.Component(ctx, c.Output(), s.name, s.version)
	if usage.Is(err) {
		return nil, &cluster.Unsupported{Because: err.Error()}
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return os.ReadFile(path)
}

// nodes returns the names of the nodes that get the component.
func (s component) nodes(c cluster.Changeable) []string {
	switch s.name {
	case kube.ControllerManager:
		return []string{controlPlane(c)}
	case kube.Kubelet:
		return slices.DeleteFunc(slices.Clone(c.Nodes()), func(node string) bool { return node == controlPlane(c) })
	case kube.KubeProxy:
	}
	return c.Nodes()
}

// controlPlane returns the name of the control plane's node.
func controlPlane(c cluster.Topology) string { return c.NodeName(cluster.ControlPlane) }

// await waits until the nodes run the component and its program prints the version.
func (s component) await(ctx context.Context, c cluster.Changeable) error {
	for _, node := range s.nodes(c) {
		var last string
		err := poll.Until(ctx, pollEvery, func() (bool, error) {
			last = runningVersion(ctx, c, node, s.name)
			return last == s.version, nil
		})
		if err != nil {
			return fmt.Errorf("%s runs %q: %w", node, last, err)
		}
	}
	return nil
}

// runningVersion returns the version that the program of a component's running process prints on a node; empty without a process.
func runningVersion(ctx context.Context, c cluster.Machines, node string, name kube.Component) string {
	process := string(name)[:min(len(name), 15)] // the kernel keeps 15 characters
	said, err := c.Exec(ctx, node, fmt.Sprintf("/proc/$(pgrep --oldest --exact %s)/exe --version", process))
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(said, "Kubernetes ")
}

// Versions returns the distinct versions of a component on the nodes that [Component] changes, sorted. For somebody else's cluster
// it knows only those of kubelets, and returns none for other components.
func Versions(ctx context.Context, c cluster.Cluster, name kube.Component) ([]string, error) {
	var versions []string
	if ours, err := cluster.Ours(c); err == nil {
		for _, node := range (component{name: name}).nodes(ours) {
			if version := runningVersion(ctx, ours, node, name); version != "" {
				versions = append(versions, version)
			}
		}
	} else if name == kube.Kubelet {
		nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("cluster: versions of kubelets: %w", err)
		}
		for _, node := range nodes.Items {
			versions = append(versions, node.Status.NodeInfo.KubeletVersion)
		}
	}
	slices.Sort(versions)
	return slices.Compact(versions), nil
}

// lastLog returns the last lines of the log of a program that runs on a node, in a pod of kube-system whose name begins with the program's.
func lastLog(ctx context.Context, c cluster.Machines, node, name string) string {
	said, _ := c.Exec(context.WithoutCancel(ctx), node,
		fmt.Sprintf("tail --quiet --lines 3 $(ls -t /var/log/pods/kube-system_%s-*/*/*.log | head -1)", name))
	return said
}

// onNodes calls do for several nodes in parallel.
func onNodes(ctx context.Context, nodes []string, do func(ctx context.Context, node string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, node := range nodes {
		group.Go(func() error { return do(ctx, node) })
	}
	return group.Wait()
}

// restoreComponents has every node run the components of its image again, if one was replaced.
func restoreComponents(ctx context.Context, c cluster.Changeable) error {
	ctx, cancel := context.WithTimeoutCause(ctx, restoreTimeout, fmt.Errorf("not restored after %v", restoreTimeout))
	defer cancel()
	for _, restore := range []func(context.Context, cluster.Changeable) error{
		restoreProxyProgram, restoreKubelets, restoreControllerManager,
	} {
		if err := restore(ctx, c); err != nil {
			return fmt.Errorf("cluster: restore components: %w", err)
		}
	}
	return nil
}
