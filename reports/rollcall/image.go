package main

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/conformance"
)

func imageCommand() *cobra.Command {
	o := conformance.Options{}
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Push the images to --image-repo, and write the kustomization of a nightly job",
		Args:  noArgs(unmeant),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error { return conformance.PushImages(ctx, cmd.OutOrStdout(), o) })
		},
	}
	addFlags(cmd, o.Target.List().Only("image-repo", "registry-ca").First("image-repo", "registry-ca"))
	return cmd
}
