package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
)

// Open creates or reuses the cluster of the spec and waits until every node, CoreDNS and every kube-proxy is Ready and a pod
// on each worker reaches a Service. If another process uses the cluster, Open waits for its end. It prints progress to w.
func Open(ctx context.Context, w io.Writer, s Spec) (*Cluster, error) {
	return open(ctx, w, s, docker{})
}

func open(ctx context.Context, w io.Writer, s Spec, e engine) (*Cluster, error) {
	state, lockFile, err := paths(s.Name)
	if err != nil {
		return nil, err
	}
	config, err := loadConfig(s)
	if err != nil {
		return nil, err
	}
	c := &Cluster{engine: e, spec: s, state: state, out: w, ipv6: config.Networking.IPFamily == v1alpha4.IPv6Family}
	c.held, err = sharedfile.Acquire(ctx, lockFile, func(holder string) {
		fmt.Fprintf(w, "cluster %s is in use by %s; waiting for it\n", s.Name, holder)
	})
	if err != nil {
		return nil, err
	}
	if err := c.reuseOrCreate(ctx, config); err != nil {
		if ctx.Err() == nil && !usage.Is(err) {
			err = errors.Join(err, c.collectLogs())
		}
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// reuseOrCreate reuses a kept cluster or creates one. It replaces a kept one only if that cannot be used.
func (c *Cluster) reuseOrCreate(ctx context.Context, config *v1alpha4.Cluster) error {
	if err := checkForeign(ctx, c.engine, c.spec.Name); err != nil {
		return err
	}
	if err := checkKept(ctx, c.engine, c.spec); err != nil {
		return err
	}
	if c.spec.Keep && c.spec.kept(c.state) {
		_, err := run(ctx, c.spec.Name, c.reuseSteps(config))
		switch {
		case err == nil:
			fmt.Fprintf(c.out, "cluster %s: reusing the kept one\n", c.spec.Name)
			return nil
		case ctx.Err() != nil:
			return err
		}
		fmt.Fprintf(c.out, "cluster %s: making a new one, because the kept one cannot be used: %v\n", c.spec.Name, err)
	}
	spent, err := run(ctx, c.spec.Name, c.createSteps(config))
	if err == nil {
		fmt.Fprintf(c.out, "cluster %s: ready: %s\n", c.spec.Name, spent)
	}
	return err
}

// Close removes the cluster, unless it is kept, and releases its lock.
func (c *Cluster) Close() error {
	var err error
	if c.reaper != nil {
		err = c.reaper.remove()
	}
	return errors.Join(err, c.held.Release())
}

// collectLogs collects the logs of the nodes and their pods.
func (c *Cluster) collectLogs() error {
	if c.spec.Logs == "" {
		return nil
	}
	fmt.Fprintf(c.out, "cluster %s: collecting the nodes' logs into %s\n", c.spec.Name, c.spec.Logs)
	if err := c.engine.CollectLogs(c.spec.Name, c.spec.Logs); err != nil {
		return fmt.Errorf("cluster: collect logs of %s: %w", c.spec.Name, err)
	}
	return nil
}

// paths returns the paths of a cluster's state folder and lock file.
func paths(name string) (state, lockFile string, err error) {
	dir, err := host.StateDir()
	return filepath.Join(dir, "clusters", name), filepath.Join(dir, "locks", name+".lock"), err
}
