package main

import (
	"github.com/spf13/cobra"

	"rollcall/reports"
)

func disruptionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "disruptions DIR...",
		Short: "Print what disruptions cost the clients in each kube-proxy mode of some runs",
		Long: `Print a table in Markdown with a row for each scenario that disrupts its cluster,
and each mode: what is done, how many requests failed by kind of lane, on the nodes
it is done to and on others, the longest outage, how long after it was undone the
cluster was whole again, and the outcome. A scenario that several runs have in a
mode is that of the last one named.

DIR is a run folder, such as out/latest. Its evidence is judged by the rules of
this build. Exit codes: 0; 2 when DIR is not a run folder; 3 when it could not be printed.`,
		Example: "  rollcall disruptions out/latest",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := loaded(args)
			if err != nil {
				return err
			}
			return infrastructure(reports.Disruptions(cmd.OutOrStdout(), runs))
		},
	}
}
