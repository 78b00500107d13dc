package main

import (
	"context"

	"github.com/spf13/cobra"

	"rollcall/harness/conformance"
	"rollcall/harness/lab"
	"rollcall/suites"
)

func labCommand() *cobra.Command {
	o := conformance.Options{}
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Run suites in ipvs mode in a machine of its own, where this host's kernel has no IP_VS",
		Long: `Run suites in ipvs mode in a virtual machine, the lab, whose kernel has IP_VS.
It is built when it is first asked for. The run folder is among the others, and
out/latest-ipvs leads to it.

Exit codes: as of rollcall run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error {
				code, err := conformance.RunLab(ctx, cmd.OutOrStdout(), o, suites.All)
				if err == nil {
					err = exitCode(code)
				}
				return err
			})
		},
	}
	addFlags(cmd, o.List())
	cmd.AddCommand(&cobra.Command{
		Use:   "clean",
		Short: "Remove the lab",
		Long:  "Remove the lab, unless it is in use.\n\nExit codes: 0; 2 when it is in use; 3 when it failed.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(context.Context) error { return lab.Remove() })
		},
	})
	return cmd
}
