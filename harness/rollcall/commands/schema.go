package commands

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
)

// outputSchemas has the JSON Schemas of what commands print as JSON, NAME.json each, but for the report.
//
//go:embed schemas
var outputSchemas embed.FS

func schemaCommand() *cobra.Command {
	names := []string{"report", "policy", "app", "accept", "check", "compare", "during", "explain", "list", "preflight", "status",
		"trend", "try"}
	return &cobra.Command{
		ValidArgs: names,
		Use:       "schema [report | policy | app | COMMAND]",
		Short:     "Print the JSON Schema of report.json, of a file that you write, or of what a command prints with -o json",
		Args:      countArgs(0, 1, "one schema, or none for that of report.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			of := "report"
			if len(args) > 0 {
				of = args[0]
			}
			schema, known := map[string]string{"report": reports.Schema, "policy": compare.PolicySchema, "app": usage.AppSchema}[of]
			if !known {
				text, err := outputSchemas.ReadFile("schemas/" + of + ".json")
				if err != nil {
					return usage.New("schema "+of, "there is none", "choose one of: "+strings.Join(names, ", ")+usage.Meant(of, names...))
				}
				schema = string(text)
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), schema)
			return infrastructure(err)
		},
	}
}
