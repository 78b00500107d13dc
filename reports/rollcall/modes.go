package main

import (
	"github.com/spf13/cobra"

	"rollcall/reports"
)

func modesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "modes DIR...",
		Short: "Print what a rolling update costs in each kube-proxy mode of some runs, side by side",
		Long: `Print a table in Markdown: what a rolling update cost the clients in each
kube-proxy mode, from recorded runs. A mode that several runs have is that of the
last one named.

DIR is a run folder, such as out/latest. Its evidence is judged by the rules of
this build. Exit codes: 0; 2 when DIR is not a run folder; 3 when it could not be printed.`,
		Example: "  rollcall modes out/latest out/latest-ipvs",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := loaded(args)
			if err != nil {
				return err
			}
			return infrastructure(reports.Modes(cmd.OutOrStdout(), runs))
		},
	}
}
