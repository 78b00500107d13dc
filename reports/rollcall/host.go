package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"rollcall/harness/cluster/kind"
	"rollcall/harness/conformance"
	"rollcall/harness/host"
	"rollcall/harness/nodeimage"
	"rollcall/harness/usage"
)

// work is a command's that changes something outside the run folder: Ctrl-C and SIGTERM have it clean up and end.
func work(cmd *cobra.Command, do func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second Ctrl-C ends this process at once; clusters are removed all the same
	err := do(ctx)
	if usage.Is(err) {
		return exit{exitUsage, err}
	}
	return infrastructure(err)
}

func preflightCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "preflight",
		Short: "Say what this host can run; set up the container engine where allowed",
		Long: `Say what this host can run, and what follows from it. Where this is root on
Debian or Ubuntu and there is no container engine, one is installed and started.

Exit codes: 0; 2 when this host can have no cluster; 3 when setting it up failed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error {
				facts, err := host.Ensure(ctx, cmd.OutOrStdout())
				facts.Print(cmd.OutOrStdout())
				if err == nil {
					err = facts.Check(false)
				}
				return err
			})
		},
	}
}

func nodeImageCommand() *cobra.Command {
	o := conformance.Options{}
	cmd := &cobra.Command{
		Use:   "node-image",
		Short: "Get the node image for a Kubernetes version, building it if need be",
		Long: `Get the image of kind's nodes for a Kubernetes version: from the container
engine, from a registry, or built from the sources, which takes some minutes.
Its name is printed last.

Exit codes: 0; 2 for bad input or a host that is not fit; 3 when it failed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error {
				version, err := nodeimage.Resolve(o.Kubernetes)
				if err != nil {
					return err
				}
				if _, err := host.Ensure(ctx, cmd.OutOrStdout()); err != nil {
					return err
				}
				image, err := nodeimage.Ensure(ctx, cmd.OutOrStdout(), version)
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), image)
				}
				return err
			})
		},
	}
	addFlags(cmd, o.List().Only("k8s"))
	return cmd
}

func cleanCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove every cluster Rollcall made on this host, kept ones too",
		Long: `Remove every kind cluster that Rollcall made on this host, also those that
were kept. One that a run uses stays.

Exit codes: 0; 3 when it failed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error { return kind.Sweep(ctx, cmd.OutOrStdout(), true) })
		},
	}
}
