package main

import (
	"github.com/spf13/cobra"

	"rollcall/reports"
)

func schemaCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of report.json",
		Long: `Print the JSON Schema, draft 2020-12, of the report.json this build writes. It
allows no field that it does not name.

Exit codes: 0; 2 for wrong usage; 3 when it could not be printed.`,
		Example: "  rollcall schema > report.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printed(code, reports.WriteSchema(cmd.OutOrStdout()))
		},
	}
}
