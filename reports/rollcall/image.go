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
		Long: `Push the images of the suites' pods, and that of Rollcall itself, to a
repository. A kustomization of a job that runs Rollcall every night with these
images is written to out/nightly.

Exit codes: 0; 2 for bad input; 3 when it failed.`,
		Example: "  rollcall image --image-repo=registry.example.com/platform/rollcall",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error { return conformance.PushImages(ctx, cmd.OutOrStdout(), o) })
		},
	}
	addFlags(cmd, o.Target.List().Only("image-repo", "registry-ca"))
	return cmd
}
