package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"example.com/rollcall/harness/host/nodeimage"
	"example.com/rollcall/harness/host/setup"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

func (p *program) setupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "setup",
		Short: "Install and start Docker where there is none, and have it start privileged containers",
		Args:  cobra.NoArgs,
		RunE: p.make(func(ctx context.Context, progress io.Writer, _ []string) (string, error) {
			_, err := setup.Ensure(ctx, progress)
			return "", err
		}),
	}
}

func (p *program) nodeImageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "node-image [VERSION]",
		Short: "Get the image of kind's nodes for a Kubernetes version (" + kube.Default + "), built here if no registry has it",
		Args:  cobra.MaximumNArgs(1),
		RunE: p.make(func(ctx context.Context, progress io.Writer, args []string) (string, error) {
			version, err := kube.Resolve(strings.Join(args, ""))
			if err != nil {
				return "", err
			}
			if image, err := nodeimage.Find(ctx, version); image != "" || err != nil {
				return image, err
			}
			if _, err := setup.Ensure(ctx, progress); err != nil {
				return "", err
			}
			return nodeimage.Ensure(ctx, progress, version)
		}),
	}
}

func (p *program) componentCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "component NAME VERSION",
		Short: "Compile a component of a version, such as kubelet v1.35.3",
		Args:  cobra.ExactArgs(2),
		RunE: p.make(func(ctx context.Context, progress io.Writer, args []string) (string, error) {
			name, version := kube.Component(args[0]), args[1]
			if !slices.Contains(kube.Components(), name) {
				return "", usage.New("component "+args[0], "it is not one that a node can run in another version",
					fmt.Sprintf("use one of %v", kube.Components()))
			}
			if semver.Canonical(version) != version {
				return "", usage.New("component "+args[0]+" "+version, "it is not a version", "write it in full, such as v1.35.3")
			}
			return nodeimage.Component(ctx, progress, name, version)
		}),
	}
}

func (p *program) upgradeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade VERSION",
		Short: "Get the files for an upgrade of a cluster's nodes to a Kubernetes version",
		Args:  cobra.ExactArgs(1),
		RunE: p.make(func(ctx context.Context, progress io.Writer, args []string) (string, error) {
			files, err := nodeimage.UpgradeTo(ctx, progress, args[0])
			return files.Folder, err
		}),
	}
}

func (p *program) metricsServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "metrics-server",
		Short: "Get metrics-server's image, as a docker archive",
		Args:  cobra.NoArgs,
		RunE: p.make(func(ctx context.Context, progress io.Writer, _ []string) (string, error) {
			return nodeimage.MetricsServer(ctx, progress)
		}),
	}
}
