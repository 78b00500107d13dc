package disruption

import (
	"context"
	"fmt"
	"os"
	"path"
	"time"

	"example.com/rollcall/harness/poll"
)

// everywhere lists the images that kubeadm needs on every node. pause is for the Job with which it checks that the cluster
// still runs pods before an upgrade (cmd/kubeadm/app/phases/upgrade/health.go, v1.37).
var everywhere = []string{"coredns", "kube-proxy", "pause"}

// ignored names the check of kubeadm that fails in a container: it looks for the kernel's configuration, which a node in a
// container does not have, and rejects cgroup v1.
const ignored = "--ignore-preflight-errors=SystemVerification"

// controlPlane returns the steps of the control plane's node, which come before those of workers.
func (u upgrade) controlPlane(node string, workers []string) []step {
	return []step{
		{what: "images of " + u.to.Version, do: func(ctx context.Context) error {
			if err := u.loadImages(ctx, node); err != nil {
				return err
			}
			for _, worker := range workers {
				if err := u.loadImages(ctx, worker, everywhere...); err != nil {
					return err
				}
			}
			return nil
		}},
		{node: node, what: "kubeadm upgrade apply " + u.to.Version, limit: applyLimit, do: func(ctx context.Context) error {
			return u.kubeadm(ctx, node, "apply "+u.to.Version+" --yes")
		}},
		{what: "kube-proxy " + u.to.Version, do: u.awaitProxies},
		{node: node, what: "kubelet " + u.to.Version, do: func(ctx context.Context) error {
			if err := u.replaceKubelet(ctx, node); err != nil {
				return err
			}
			if poll.Pause(ctx, staticPodsFollow); ctx.Err() != nil { // the API server is away again meanwhile
				return context.Cause(ctx)
			}
			return u.awaitWatches(ctx)
		}},
	}
}

// staticPodsFollow is how long a new kubelet may take to restart the static pods. It was seen after 3 s, and took 4.5 to 5.8 s.
const staticPodsFollow = 10 * time.Second

// worker returns the steps of a worker. Its kubelet is replaced while the node is drained, the only way that Kubernetes supports from one
// minor to the next.
func (u upgrade) worker(node string, drain Drain) []step {
	kubelet := "kubelet " + u.to.Version
	drain.Then = func(ctx context.Context, s Stage) error {
		if err := u.settled(ctx); err != nil {
			return err
		}
		s.Step(u.short(node), kubelet)
		return u.replaceKubelet(ctx, node)
	}
	return []step{
		{node: node, what: "kubeadm upgrade node " + u.to.Version, do: func(ctx context.Context) error { return u.kubeadm(ctx, node, "node") }},
		{node: node, what: DrainStep + ", " + kubelet, marks: true, do: func(ctx context.Context) error {
			return drain.Do(ctx, u.stage)
		}},
	}
}

// loadImages loads the images with these names onto a node, or all if there are none. Files of others are not read.
func (u upgrade) loadImages(ctx context.Context, node string, names ...string) error {
	archives, err := u.to.Images(names...)
	if err != nil {
		return err
	}
	for _, file := range archives {
		archive, err := os.ReadFile(file)
		if err == nil {
			err = u.LoadImage(ctx, node, archive)
		}
		if err != nil {
			return fmt.Errorf("load %s into %s: %w", path.Base(file), node, err)
		}
	}
	return nil
}

// install replaces programs of a node by those of the new version, even if they are running.
func (u upgrade) install(ctx context.Context, node string, programs ...string) error {
	for _, name := range programs {
		to := "/usr/bin/" + name
		if err := u.CopyFile(ctx, node, u.to.Program(name), to+".new"); err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
		if _, err := u.Exec(ctx, node, fmt.Sprintf("chmod 755 %[1]s.new && mv -f %[1]s.new %[1]s", to)); err != nil {
			return fmt.Errorf("put %s in place: %w", name, err)
		}
	}
	return nil
}

// kubeadm runs `kubeadm upgrade` of the new version.
func (u upgrade) kubeadm(ctx context.Context, node, arguments string) error {
	if err := u.install(ctx, node, "kubeadm"); err != nil {
		return err
	}
	_, err := u.Exec(ctx, node, fmt.Sprintf("kubeadm upgrade %s %s", arguments, ignored))
	return err
}

// replaceKubelet installs the new kubelet, and waits until the node is Ready with it.
func (u upgrade) replaceKubelet(ctx context.Context, node string) error {
	if err := u.install(ctx, node, "kubelet", "kubectl"); err != nil {
		return err
	}
	if _, err := u.Exec(ctx, node, "systemctl restart kubelet && printf %s "+u.to.Version+" >/kind/version"); err != nil {
		return err
	}
	return u.awaitNode(ctx, node)
}
