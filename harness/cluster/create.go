package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	kind "sigs.k8s.io/kind/pkg/cluster"
)

// provider is kind's, on Docker and on our own network.
func provider() *kind.Provider {
	os.Setenv("KIND_EXPERIMENTAL_DOCKER_NETWORK", Network) // the only way kind lets one choose
	return kind.NewProvider(kind.ProviderWithDocker())
}

// open reuses a kept cluster or creates one; c.held is locked.
func (c *Cluster) open(ctx context.Context, w io.Writer, config *v1alpha4.Cluster, state string) error {
	if err := checkForeign(ctx, c.Name); err != nil {
		return err
	}
	began := time.Now()
	if c.spec.Keep && c.spec.kept(state) {
		if err := c.connect(ctx); err == nil && len(c.nodes) == len(config.Nodes) {
			fmt.Fprintf(w, "cluster %s: reusing the kept one\n", c.Name)
			return errors.Join(c.loadImages(ctx), c.ready(ctx))
		}
		fmt.Fprintf(w, "cluster %s: the kept one is gone or broken; making a new one\n", c.Name)
	}
	var err error
	if c.reaper, err = startReaper(c.Name, state, c.held); err != nil {
		return err
	}
	if err := removeNodes(ctx, c.Name); err != nil { // what a killed run, or a kept cluster of another spec, left
		return err
	}
	if err := checkPorts(c.spec.Config, config); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(state), os.MkdirAll(state, 0o755)); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	fmt.Fprintf(w, "cluster %s: creating %d nodes from %s\n", c.Name, len(config.Nodes), c.spec.Image)
	if err := c.create(ctx, config); err != nil {
		return fmt.Errorf("cluster: create %s: %w", c.Name, err)
	}
	joined := time.Since(began)
	if err := c.connect(ctx); err != nil {
		return err
	}
	if err := c.ready(ctx); err != nil {
		return fmt.Errorf("cluster: %s does not become ready: %w", c.Name, err)
	}
	c.Took = time.Since(began)
	fmt.Fprintf(w, "cluster %s: joined after %.1f s, ready after %.1f s\n", c.Name, joined.Seconds(), c.Took.Seconds())
	if !c.spec.Keep {
		return nil
	}
	if err := c.spec.keep(state); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	fmt.Fprintf(w, "cluster %s: kept; KUBECONFIG=%s\n", c.Name, c.Kubeconfig)
	keeper := c.reaper
	c.reaper = nil
	return keeper.keep()
}

// create runs kind, and beside it gives the nodes their images while they wait for the control
// plane, and their network as soon as they join. kind cannot be cancelled: when ctx ends, its containers
// are removed under it, and it fails at once.
func (c *Cluster) create(ctx context.Context, config *v1alpha4.Cluster) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	beside := make(chan error, 1)
	go func() {
		err := c.equip(ctx, config)
		if err != nil {
			cancel(err)
		}
		beside <- err
	}()
	made := make(chan error, 1)
	go func() {
		made <- provider().Create(c.Name, kind.CreateWithV1Alpha4Config(config), kind.CreateWithKubeconfigPath(c.Kubeconfig),
			kind.CreateWithRetain(true), kind.CreateWithDisplayUsage(false), kind.CreateWithDisplaySalutation(false))
	}()
	select {
	case err := <-made:
		if err != nil {
			cancel(err)
			return errors.Join(err, <-beside)
		}
		return <-beside
	case <-ctx.Done():
		cause := context.Cause(ctx)
		err := removeNodes(context.WithoutCancel(ctx), c.Name)
		_, _ = <-made, <-beside // they failed because of cause
		return errors.Join(cause, err)
	}
}

func (c *Cluster) equip(ctx context.Context, config *v1alpha4.Cluster) error {
	client, err := earlyClient(ctx, c.Name)
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
