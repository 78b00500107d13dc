package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [report | policy | app]",
		Short: "Print the JSON Schema of report.json, of an acceptance policy, or of an app's file",
		Long: `Print the JSON Schema, draft 2020-12, of the report.json this build writes, of
the policy file that rollcall accept reads, or of the file about an app of your
own that rollcall run --app reads. It allows no field that it does not name.

Exit codes: 0; 2 for wrong usage; 3 when it could not be printed.`,
		Example: "  rollcall schema > report.schema.json\n  rollcall schema app > app.schema.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			of := "report"
			if len(args) > 0 {
				of = args[0]
			}
			schema, known := map[string]string{"report": reports.Schema, "policy": compare.PolicySchema, "app": usage.AppSchema}[of]
			if !known {
				return fmt.Errorf("rollcall: schema %q: there is none: name report, policy or app%s", of,
					usage.Meant(of, "report", "policy", "app"))
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), schema)
			return infrastructure(err)
		},
	}
}
