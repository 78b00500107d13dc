package main

import (
	"github.com/spf13/cobra"

	"rollcall/reports"
	"rollcall/reports/model"
)

func claimsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "claims DIR...",
		Short: "Print which seed claims (suites/CLAIMS.md) recorded runs decide, by which rules and evidence",
		Long: `Print tables in Markdown: for every seed claim, C1 to C41, the scenarios of
recorded runs that cover it and the rules that decided it there, and how each mode
answered, by what evidence: node-rules, clients or api, the weakest that one of
these rules rests on. Below it stand the claims that nothing covers, those that
were not decided and why, and what was measured. A mode that several runs have is
that of the last one named.

DIR is a run folder, such as out/latest. Its evidence is judged by the rules of
this build. Exit codes: 0; 2 when DIR is not a run folder; 3 when it could not be printed.`,
		Example: "  rollcall claims out/latest",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := loaded(args)
			if err != nil {
				return err
			}
			return infrastructure(reports.Claims(cmd.OutOrStdout(), runs))
		},
	}
}

// loaded are the reports of run folders.
func loaded(dirs []string) ([]model.Report, error) {
	var runs []model.Report
	for _, dir := range dirs {
		r, err := reports.Load(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}
