package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	kind "sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/exec"

	"rollcall/harness/cluster/change"
	"rollcall/harness/command"
	"rollcall/harness/poll"
)

// provider is kind's, on Docker and on our own network.
func provider() *kind.Provider {
	os.Setenv("KIND_EXPERIMENTAL_DOCKER_NETWORK", Network) // the only way kind lets one choose
	return kind.NewProvider(kind.ProviderWithDocker())
}

// open reuses a kept cluster or creates one; c.held is locked.
func (c *Cluster) open(ctx context.Context, w io.Writer, config *v1alpha4.Cluster, state string) error {
	if err := checkForeign(ctx, c.spec.Name); err != nil {
		return err
	}
	began := time.Now()
	if c.spec.Keep && c.spec.kept(state) {
		err := c.reuse(ctx, len(config.Nodes))
		if err == nil || ctx.Err() != nil {
			fmt.Fprintf(w, "cluster %s: reusing the kept one\n", c.spec.Name)
			return err
		}
		fmt.Fprintf(w, "cluster %s: making a new one, because the kept one cannot be used: %v\n", c.spec.Name, err)
	} else if _, err := os.Stat(noteFile(state)); err == nil {
		fmt.Fprintf(w, "cluster %s: replacing a kept one, which is of another kind or was not asked for with KEEP=1\n", c.spec.Name)
	}
	var err error
	if c.reaper, err = startReaper(c.spec.Name, state, c.held); err != nil {
		return err
	}
	if err := removeNodes(ctx, c.spec.Name); err != nil { // what a killed run, or a kept cluster of another spec, left
		return err
	}
	if err := checkPorts(c.spec.Config, config); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(state), os.MkdirAll(state, 0o755)); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	fmt.Fprintf(w, "cluster %s: creating %d nodes from %s\n", c.spec.Name, len(config.Nodes), c.spec.Image)
	if err := c.create(ctx, config); err != nil {
		return fmt.Errorf("cluster: create %s: %w", c.spec.Name, err)
	}
	joined := time.Since(began)
	if err := c.connect(ctx); err != nil {
		return err
	}
	if err := c.raiseControlPlaneShares(ctx); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := c.ready(ctx); err != nil {
		return fmt.Errorf("cluster: %s does not become ready: %w", c.spec.Name, err)
	}
	if err := c.ProxiesLeaveCPUCgroup(ctx); err != nil {
		return err
	}
	fmt.Fprintf(w, "cluster %s: joined after %.1f s, ready after %.1f s\n", c.spec.Name, joined.Seconds(), time.Since(began).Seconds())
	if !c.spec.Keep {
		return nil
	}
	if err := c.spec.keep(state); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	fmt.Fprintf(w, "cluster %s: kept; KUBECONFIG=%s\n", c.spec.Name, c.kubeconfig)
	keeper := c.reaper
	c.reaper = nil
	return keeper.keep()
}

// reuse takes up a kept cluster and clears away what a killed run left in it.
func (c *Cluster) reuse(ctx context.Context, count int) error {
	if err := c.connect(ctx); err != nil {
		return err
	}
	if len(c.nodes) != count {
		return fmt.Errorf("it has %d nodes", len(c.nodes))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, reuseTimeout, fmt.Errorf("not usable after %v", reuseTimeout))
	defer cancel()
	left := metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=rollcall"}
	namespaces := c.Client().CoreV1().Namespaces()
	list, err := namespaces.List(ctx, left)
	if err != nil {
		return err
	}
	for _, namespace := range list.Items {
		if err := namespaces.Delete(ctx, namespace.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	err = poll.Until(ctx, pollEvery, func() (bool, error) {
		list, err := namespaces.List(ctx, left)
		return err == nil && len(list.Items) == 0, err
	})
	return errors.Join(err, c.raiseControlPlaneShares(ctx), c.loadImages(ctx), change.UndoAll(ctx, c), c.ready(ctx), c.ProxiesLeaveCPUCgroup(ctx))
}

// Timeout of the harness: creating takes about 30 s on the reference host, taking up a kept
// cluster 5 s.
const (
	createTimeout = 10 * time.Minute
	reuseTimeout  = 90 * time.Second
)

// create runs kind, and beside it gives the nodes their images while they wait for the control
// plane, and their network as soon as they join. kind cannot be cancelled: when ctx ends, its containers
// are removed under it, and it fails at once.
func (c *Cluster) create(ctx context.Context, config *v1alpha4.Cluster) error {
	ctx, expire := context.WithTimeoutCause(ctx, createTimeout, fmt.Errorf("not made after %v", createTimeout))
	defer expire()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	beside := make(chan error, 1)
	go func() {
		err := c.loadImagesAndNetwork(ctx, config)
		if err != nil {
			cancel(err)
		}
		beside <- err
	}()
	made := make(chan error, 1)
	go func() {
		made <- provider().Create(c.spec.Name, kind.CreateWithV1Alpha4Config(config), kind.CreateWithKubeconfigPath(c.kubeconfig),
			kind.CreateWithRetain(true), kind.CreateWithDisplayUsage(false), kind.CreateWithDisplaySalutation(false))
	}()
	select {
	case err := <-made:
		if err != nil {
			err = inFull(err)
			cancel(err)
			return errors.Join(err, <-beside)
		}
		return <-beside
	case <-ctx.Done():
		var err error
		for busy := 2; busy > 0; {
			// Again and again: a container that kind had asked for may only now be there.
			err = removeNodes(context.WithoutCancel(ctx), c.spec.Name)
			select {
			case <-made:
				busy--
			case <-beside:
				busy--
			case <-time.After(time.Second):
			}
		}
		return errors.Join(context.Cause(ctx), err)
	}
}

// inFull adds what kind's failed command printed, which its error leaves out.
func inFull(err error) error {
	if run := exec.RunErrorForError(err); run != nil {
		return fmt.Errorf("%w: %s", err, command.LastLines(string(run.Output), 5))
	}
	return err
}

func (c *Cluster) loadImagesAndNetwork(ctx context.Context, config *v1alpha4.Cluster) error {
	client, err := earlyClient(ctx, c.spec.Name)
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.Go(func() error { return c.loadImages(ctx) })
	if config.Networking.DisableDefaultCNI {
		group.Go(func() error { return c.installNetwork(ctx, client, len(config.Nodes)) })
	}
	return group.Wait()
}
