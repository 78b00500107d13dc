package main

import (
	"github.com/spf13/cobra"

	"rollcall/reports"
)

func claimsCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:   "claims DIR...",
		Short: "Print which seed claims recorded runs cover, and how each mode answered",
		Long: `Print a table in Markdown: for every seed claim, C1 to C41, the scenarios of
recorded runs that cover it, how each mode answered and with what numbers, and
below it the claims that nothing covers. A mode that several runs have is that of
the last one named.

DIR is a run folder, such as out/latest. Its evidence is judged by the rules of
this build. Exit codes: 0; 2 when DIR is not a run folder; 3 when it could not be printed.`,
		Example: "  rollcall claims out/latest",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := loaded(args)
			if err != nil {
				return err
			}
			return printed(code, reports.Claims(cmd.OutOrStdout(), runs))
		},
	}
}
